package dev.quorate.storage.wal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quorate.storage.Durability;
import dev.quorate.storage.Entry;
import dev.quorate.storage.StorageException;
import dev.quorate.storage.StorageOptions;
import dev.quorate.storage.Timestamp;
import dev.quorate.storage.WriteCompletion;
import dev.quorate.storage.simulated.FaultyDisk;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Without fsyncs the thread of a writer appends its write, if that is all there is to do. */
class AppendingCallersTest {

    private static final int SEGMENT_BYTES = 1 << 14;
    private static final StorageOptions OPTIONS =
            StorageOptions.defaults()
                    .withSegmentBytes(SEGMENT_BYTES)
                    .withDurability(Durability.ASYNC);

    private final Queue<Runnable> log = new ArrayDeque<>();
    private final Queue<Runnable> completion = new ArrayDeque<>();
    private final List<Runnable> delayed = new ArrayList<>();
    private final FaultyDisk disk = new FaultyDisk();
    private final List<String> outcomes = new ArrayList<>();
    private long segments;
    private int stored;
    private GroupCommit commit = commit(OPTIONS);

    private GroupCommit commit(StorageOptions options) {
        return new GroupCommit(
                new SegmentSupply(
                        disk,
                        Segments.DIRECTORY,
                        () -> ++segments,
                        SEGMENT_BYTES,
                        0,
                        Runnable::run,
                        new NoSegments()),
                options,
                log::add,
                completion::add,
                (millis, task) -> delayed.add(task),
                true,
                () -> 0,
                new Listener());
    }

    private static final class Listener extends HealthyLog {
        @Override
        public long committed(long segment, List<PendingWrite> writes) {
            writes.forEach(write -> write.completion().stored(write.entry().timestamp()));
            return 0;
        }
    }

    private final class Writer implements WriteCompletion {
        @Override
        public void stored(Timestamp newest) {
            stored++;
        }

        @Override
        public void failed(StorageException cause) {
            outcomes.add(String.valueOf(cause.getMessage()));
        }
    }

    @BeforeEach
    void begin() throws IOException {
        disk.createDirectories(Segments.DIRECTORY);
        commit.begin(LogSegment.create(disk, Segments.DIRECTORY, ++segments, SEGMENT_BYTES));
        runAll();
    }

    private void submit() {
        commit.submit(Entry.tombstone(new byte[] {1}, new Timestamp(1, 1), 1), new Writer());
    }

    private void runAll() {
        while (!log.isEmpty() || !completion.isEmpty()) {
            (log.isEmpty() ? completion : log).remove().run();
        }
    }

    @Test
    void aWriteIsStoredWhenItsCallReturns() {
        submit();
        submit();
        assertThat(stored).isEqualTo(2);
        assertThat(log).isEmpty();
        assertThat(completion).isEmpty();
        assertThat(delayed).as("the fsync within the window").hasSize(1);
    }

    @Test
    void aWriteWithAnFsyncIsLeftToTheLogTask() throws IOException {
        commit = commit(OPTIONS.withDurability(Durability.FSYNC));
        commit.begin(LogSegment.create(disk, Segments.DIRECTORY, ++segments, SEGMENT_BYTES));
        runAll();
        submit();
        assertThat(stored).isZero();
        assertThat(log).hasSize(1);
    }

    @Test
    void anFsyncThatIsDueIsLeftToTheLogTask() {
        submit();
        delayed.removeFirst().run();
        assertThat(log).as("the fsync").hasSize(1);
        submit();
        assertThat(stored).isEqualTo(1);
        runAll();
        assertThat(stored).isEqualTo(2);
    }

    @Test
    void theNextSegmentIsLeftToTheLogTask() {
        int before = 0;
        while (log.isEmpty()) {
            before = stored;
            submit();
        }
        assertThat(stored).as("the last write waits").isEqualTo(before);
        runAll();
        assertThat(stored).isEqualTo(before + 1);
        submit();
        assertThat(stored).isEqualTo(before + 2);
    }

    @Test
    void aFlushThatWaitsIsLeftToTheLogTask() {
        submit();
        CompletableFuture<?> rolled = commit.roll();
        submit();
        assertThat(stored).isEqualTo(1);
        runAll();
        assertThat(stored).isEqualTo(2);
        assertThat(rolled).isCompleted();
    }

    @Test
    void writesAfterTheCloseAreRejected() {
        submit();
        CompletableFuture<?> closed = commit.close(new StorageException.Closed("closed"));
        submit();
        runAll();
        assertThat(closed).isCompleted();
        assertThat(stored).isEqualTo(1);
        assertThat(outcomes).containsExactly("closed");
    }
}
