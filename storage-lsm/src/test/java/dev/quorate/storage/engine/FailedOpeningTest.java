package dev.quorate.storage.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.quorate.storage.StorageException;
import dev.quorate.storage.simulated.FaultyDisk;
import dev.quorate.storage.simulated.FaultyDisk.Keep;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/**
 * The disk fails once while a store opens: the opening fails, and the next one finds everything.
 */
class FailedOpeningTest {

    private final Model model = new Model();

    /** Tables, a log with entries, and the remains of a flush after a crash. */
    private FaultyDisk used() {
        SplittableRandom random = new SplittableRandom(3);
        FaultyDisk disk = new FaultyDisk();
        LsmStore store = Model.open(disk);
        for (int i = 0; i < 120; i++) {
            model.write(store, model.randomEntry(random));
        }
        return disk.afterPowerLoss(Keep.SOME, random);
    }

    @Test
    void aFailedCallFailsTheOpeningAndTheNextOneSucceeds() {
        FaultyDisk used = used();
        FailingFiles none = new FailingFiles(used.afterKill(), Long.MAX_VALUE);
        Model.open(none.files()).close();
        assertThat(none.calls()).isGreaterThan(30);
        for (long call = 1; call <= none.calls(); call++) {
            FaultyDisk disk = used.afterKill();
            FailingFiles failing = new FailingFiles(disk, call);
            // Later calls belong to the store's close or to background tasks.
            Throwable failure = catchThrowable(() -> Model.open(failing.files()).close());
            if (failure != null) {
                assertThat(failure).as("call %d", call).isInstanceOf(StorageException.Io.class);
                assertThat(failure).hasMessageContaining("Input/output error");
            }
            assertThat(disk.openFiles()).as("call %d: %s", call, failure).isZero();
            model.checkOpens(disk);
        }
    }

    @Test
    void anErrorReleasesTheDirectoryAndTheExecutors() {
        FaultyDisk used = used();
        FailingFiles none = new FailingFiles(used.afterKill(), Long.MAX_VALUE);
        LsmStore opened = Model.open(none.files());
        long calls = none.calls();
        opened.close();
        for (long call = 1; call <= calls; call++) {
            FaultyDisk disk = used.afterKill();
            FailingFiles failing = new FailingFiles(disk, call, true);
            AtomicInteger released = new AtomicInteger();
            StoreExecutors executors =
                    new StoreExecutors(
                            Runnable::run,
                            Runnable::run,
                            Runnable::run,
                            (millis, task) -> {},
                            released::incrementAndGet,
                            StoreExecutors.Callers.MUST_RUN);
            Throwable failure =
                    catchThrowable(() -> Model.open(failing.files(), Model.TINY, executors));
            assertThat(failure).as("call %d", call).isInstanceOf(OutOfMemoryError.class);
            assertThat(disk.openFiles()).as("call %d: %s", call, failure).isZero();
            assertThat(released).as("call %d: %s", call, failure).hasValue(1);
            model.checkOpens(disk);
        }
    }
}
