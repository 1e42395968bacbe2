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

/** While a group is being completed, new writes wait until the next group is as large. */
class GatheringTest {

    /** The writes of a group that the completion task completes. */
    private static final int LARGE = GroupCommit.SMALL_GROUP + 2;

    private static final int SEGMENT_BYTES = 1 << 16;

    private static final StorageOptions OPTIONS =
            StorageOptions.defaults().withSegmentBytes(SEGMENT_BYTES);

    private final Queue<Runnable> log = new ArrayDeque<>();
    private final Queue<Runnable> completion = new ArrayDeque<>();

    /** The sizes of the durable groups, in the order of their completion. */
    private final List<Integer> told = new ArrayList<>();

    private final FaultyDisk disk = new FaultyDisk();
    private long segments;
    private GroupCommit commit = commit(OPTIONS);
    private int submitted;
    private int stored;

    private GroupCommit commit(StorageOptions options) {
        SegmentSupply supply =
                new SegmentSupply(
                        disk,
                        Segments.DIRECTORY,
                        () -> ++segments,
                        options.segmentBytes(),
                        0,
                        Runnable::run,
                        new NoSegments());
        return new GroupCommit(
                supply,
                options,
                log::add,
                completion::add,
                (millis, task) -> {},
                () -> 0,
                new Listener());
    }

    @BeforeEach
    void begin() throws IOException {
        disk.createDirectories(Segments.DIRECTORY);
        beginLog();
    }

    private void beginLog() throws IOException {
        commit.begin(LogSegment.create(disk, Segments.DIRECTORY, ++segments, SEGMENT_BYTES));
        runAll(log);
    }

    private static void runAll(Queue<Runnable> tasks) {
        while (!tasks.isEmpty()) {
            tasks.remove().run();
        }
    }

    private void submit(int writes) {
        for (int i = 0; i < writes; i++) {
            submitted++;
            commit.submit(
                    Entry.tombstone(new byte[] {1}, new Timestamp(submitted, 1), 1), new Writer());
        }
    }

    /** Makes a group of {@code writes} durable without completing it. */
    private void logged(int writes) {
        submit(writes);
        runAll(log);
        assertThat(completion).as("the completion task is to run").hasSize(1);
    }

    @Test
    void aSmallerGroupWaitsForThePreviousCompletions() {
        logged(LARGE);
        submit(LARGE - 1);
        runAll(log);
        runAll(completion);
        assertThat(told).containsExactly(LARGE);
        runAll(log);
        runAll(completion);
        assertThat(told).containsExactly(LARGE, LARGE - 1);
        assertThat(stored).isEqualTo(LARGE + LARGE - 1);
    }

    @Test
    void anEquallyLargeGroupDoesNotWait() {
        logged(LARGE);
        submit(LARGE - 1);
        runAll(log);
        assertThat(log).isEmpty();
        submit(1);
        runAll(log);
        runAll(completion);
        assertThat(told)
                .as("completed in one run of the completion task")
                .containsExactly(LARGE, LARGE);
    }

    @Test
    void aWriteOfASmallerGroupDoesNotScheduleTheLogTask() {
        logged(LARGE);
        submit(1);
        runAll(log);
        submit(1);
        assertThat(log).isEmpty();
    }

    @Test
    void aLoneWriterNeverWaits() {
        logged(LARGE);
        runAll(completion);
        runAll(log);
        for (int i = 0; i < 3; i++) {
            submit(1);
            runAll(log);
        }
        // The log task completes a lone write.
        assertThat(told).containsExactly(LARGE, 1, 1, 1);
    }

    @Test
    void theLogTaskCompletesASmallGroupUnlessOthersWait() {
        submit(GroupCommit.SMALL_GROUP);
        runAll(log);
        assertThat(completion).isEmpty();
        assertThat(told).containsExactly(GroupCommit.SMALL_GROUP);
        submit(GroupCommit.SMALL_GROUP + 1);
        runAll(log);
        assertThat(completion).hasSize(1);
        assertThat(told).containsExactly(GroupCommit.SMALL_GROUP);
    }

    @Test
    void flushAndCloseDoNotWait() {
        logged(LARGE);
        submit(1);
        runAll(log);
        CompletableFuture<?> mark = commit.mark();
        runAll(log);
        submit(1);
        runAll(log);
        CompletableFuture<?> closed = commit.close(new StorageException.Closed("closed"));
        runAll(log);
        runAll(completion);
        assertThat(told).containsExactly(LARGE, 1, 1);
        assertThat(mark).isCompleted();
        assertThat(closed).isCompleted();
    }

    @Test
    void aRollDoesNotWait() {
        logged(LARGE);
        submit(1);
        runAll(log);
        CompletableFuture<?> rolled = commit.roll();
        runAll(log);
        runAll(completion);
        assertThat(told)
                .as("completed in one run of the completion task")
                .containsExactly(LARGE, 1);
        assertThat(rolled).isCompleted();
    }

    @Test
    void asynchronousWritesDoNotWait() throws IOException {
        commit = commit(OPTIONS.withDurability(Durability.ASYNC));
        beginLog();
        logged(3);
        submit(1);
        runAll(log);
        runAll(completion);
        assertThat(told).as("completed in one run of the completion task").containsExactly(3, 1);
    }

    private final class Writer implements WriteCompletion {
        @Override
        public void stored(Timestamp newest) {
            stored++;
        }

        @Override
        public void failed(StorageException cause) {
            throw cause;
        }
    }

    private final class Listener extends HealthyLog {
        @Override
        public long committed(List<PendingWrite> writes) {
            told.add(writes.size());
            writes.forEach(write -> write.completion().stored(write.entry().timestamp()));
            return 0;
        }
    }
}
