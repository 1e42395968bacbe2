package dev.quorate.storage.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quorate.storage.StorageException;
import dev.quorate.storage.simulated.FaultyDisk;
import dev.quorate.storage.simulated.FaultyDisk.Keep;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/**
 * One fsync fails. The kernel may have discarded its pages, and the next fsync would succeed
 * without them: no further write may be acknowledged.
 */
class FailedFsyncTest {

    private static final int OPERATIONS = 120;

    @Test
    void noWriteIsFalselyAcknowledgedAfterAFailedFsync() {
        long forces = run(Long.MAX_VALUE);
        assertThat(forces).isGreaterThan(OPERATIONS);
        for (long failing = 1; failing <= forces; failing++) {
            try {
                run(failing);
            } catch (Throwable e) {
                throw new AssertionError("fsync " + failing + " of " + forces, e);
            }
        }
    }

    /** Runs a script in which fsync number {@code failing} fails; returns the number of fsyncs. */
    private static long run(long failing) {
        SplittableRandom random = new SplittableRandom(3);
        FaultyDisk disk = new FaultyDisk();
        disk.failForce(failing);
        Model model = new Model();
        List<StorageException> fatal = new ArrayList<>();
        LsmStore store;
        try {
            store =
                    LsmStore.open(
                            disk,
                            Model.DIRECTORY,
                            Model.TINY,
                            StoreExecutors.inPlace((millis, task) -> {}),
                            new StoreClocks(() -> 0),
                            fatal::add);
        } catch (StorageException.Io refused) {
            model.checkOpens(disk.afterPowerLoss(Keep.NOTHING, random));
            assertThat(disk.openFiles()).isZero();
            return disk.forces();
        }
        for (int i = 0; i < OPERATIONS; i++) {
            model.write(store, model.randomEntry(random));
        }
        int written = model.failures().size();
        if (!fatal.isEmpty()) {
            model.write(store, model.randomEntry(random));
            assertThat(model.failures()).hasSize(written + 1);
            assertThat(model.failures().getLast()).isInstanceOf(StorageException.Io.class);
        }
        // Acknowledged writes are readable now, by the next process, and after a power loss.
        model.check(store);
        model.checkOpens(disk.afterKill());
        model.checkOpens(disk.afterPowerLoss(Keep.NOTHING, random));
        model.checkOpens(disk.afterPowerLoss(Keep.EVERYTHING, random));
        store.close();
        boolean failed = disk.forces() >= failing;
        assertThat(fatal).hasSize(failed ? 1 : 0);
        assertThat(disk.openFiles()).isZero();
        return disk.forces();
    }
}
