package dev.quorate.storage.wal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quorate.storage.Entry;
import dev.quorate.storage.StorageException;
import dev.quorate.storage.StorageOptions;
import dev.quorate.storage.Timestamp;
import dev.quorate.storage.WriteCompletion;
import dev.quorate.storage.simulated.FaultyDisk;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** While writes are rejected on a full disk, other requests complete too. */
class RejectedWritesTest {

    private final StorageException.Full full = new StorageException.Full("full", null);

    private final Queue<Runnable> log = new ArrayDeque<>();
    private final GroupCommit commit =
            new GroupCommit(
                    new SegmentSupply(
                            new FaultyDisk(),
                            Segments.DIRECTORY,
                            () -> 1,
                            8192,
                            0,
                            Runnable::run,
                            new NoSegments()),
                    StorageOptions.defaults(),
                    log::add,
                    Runnable::run,
                    (millis, task) -> {},
                    () -> 0,
                    new FullDisk());

    /** The flush is requested between two reads of the queue. */
    @Test
    void aFlushRequestedDuringARejectionCompletes() {
        List<CompletableFuture<@Nullable Void>> asked = new ArrayList<>();
        commit.submit(
                Entry.tombstone(new byte[] {1}, new Timestamp(1, 1), 1),
                new WriteCompletion() {
                    @Override
                    public void stored(Timestamp newest) {
                        throw new AssertionError("stored on a full disk");
                    }

                    @Override
                    public void failed(StorageException cause) {
                        assertThat(cause).isSameAs(full);
                        asked.add(commit.roll());
                        asked.add(commit.mark());
                    }
                });
        commit.reject(full);
        while (!log.isEmpty()) {
            log.remove().run();
        }
        assertThat(asked).hasSize(2);
        assertThat(asked.getFirst().isCompletedExceptionally()).as("the flush fails").isTrue();
        assertThat(asked.getFirst().exceptionNow()).isSameAs(full);
        assertThat(asked.getLast()).as("no write is pending").isCompleted();
    }

    private static final class FullDisk extends HealthyLog {
        @Override
        public long committed(List<PendingWrite> writes) {
            throw new AssertionError("nothing is durable");
        }
    }
}
