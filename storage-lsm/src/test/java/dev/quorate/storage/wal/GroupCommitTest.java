package dev.quorate.storage.wal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.quorate.storage.Entry;
import dev.quorate.storage.StorageException;
import dev.quorate.storage.StorageOptions;
import dev.quorate.storage.Timestamp;
import dev.quorate.storage.WriteCompletion;
import dev.quorate.storage.io.MemoryFiles;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** However the log ends, every write completes once, and no file stays open. */
class GroupCommitTest {

    private static final int SEGMENT_BYTES = 8192;
    private final StorageException closed = new StorageException.Closed("closed");

    private final Queue<Runnable> log = new ArrayDeque<>();
    private final Queue<Runnable> completion = new ArrayDeque<>();
    private final MemoryFiles files = new MemoryFiles();
    private final List<String> told = new ArrayList<>();
    private final List<StorageException> broken = new ArrayList<>();
    private long segments;
    private boolean mayRollFails;

    private final SegmentSupply supply =
            new SegmentSupply(
                    files,
                    Segments.DIRECTORY,
                    () -> ++segments,
                    SEGMENT_BYTES,
                    0,
                    Runnable::run,
                    new NoSegments());
    private final GroupCommit commit =
            new GroupCommit(
                    supply,
                    StorageOptions.defaults().withSegmentBytes(SEGMENT_BYTES),
                    log::add,
                    completion::add,
                    (millis, task) -> {},
                    () -> 0,
                    new Listener());

    private void begin() throws IOException {
        commit.begin(LogSegment.create(files, Segments.DIRECTORY, ++segments, SEGMENT_BYTES));
    }

    private void runAll() {
        while (!log.isEmpty() || !completion.isEmpty()) {
            (log.isEmpty() ? completion : log).remove().run();
        }
    }

    private void submit() {
        commit.submit(Entry.tombstone(new byte[] {1}, new Timestamp(1, 1), 1), new Writer());
    }

    private void closeAndCheckFiles() throws IOException {
        CompletableFuture<?> done = commit.close(closed);
        runAll();
        assertThat(done).isCompleted();
        supply.close();
        assertThat(files.openFiles()).isZero();
    }

    /** The contents of the disk are unknown: no further write may be acknowledged. */
    @Test
    void aFailedWriteFailsTheLog() throws IOException {
        begin();
        submit();
        runAll();
        submit();
        submit();
        files.failAfter(0);
        runAll();
        files.failAfter(Long.MAX_VALUE);
        submit();
        runAll();
        String failed = "the log failed: the disk fails";
        assertThat(told).containsExactly("stored", failed, failed, failed);
        assertThat(broken).hasSize(1);
        closeAndCheckFiles();
    }

    @Test
    void aFailedFsyncFailsTheLog() throws IOException {
        begin();
        runAll();
        submit();
        submit();
        // The write of the group, not its fsync.
        files.failAfter(1);
        runAll();
        files.failAfter(Long.MAX_VALUE);
        assertThat(told).hasSize(2).allMatch(outcome -> outcome.endsWith("the disk fails"));
        assertThat(broken).hasSize(1);
        closeAndCheckFiles();
    }

    @Test
    void anUnexpectedExceptionFailsTheLog() throws IOException {
        begin();
        submit();
        runAll();
        CompletableFuture<?> rolled = commit.roll();
        mayRollFails = true;
        assertThatThrownBy(this::runAll).hasMessage("a bug");
        submit();
        runAll();
        assertThat(told).containsExactly("stored", "the log task failed: " + new Bug());
        assertThat(rolled).isCompletedExceptionally();
        closeAndCheckFiles();
    }

    @Test
    void aLogThatFailsBeforeItBeginsClosesItsSegment() throws IOException {
        submit();
        commit.fail(new StorageException.Io("broken", null));
        begin();
        runAll();
        assertThat(told).containsExactly("broken");
        closeAndCheckFiles();
    }

    @Test
    void closingStoresAdmittedWrites() throws IOException {
        begin();
        submit();
        CompletableFuture<?> done = commit.close(closed);
        submit();
        runAll();
        assertThat(told).containsExactly("closed", "stored");
        assertThat(done).isCompleted();
        supply.close();
        assertThat(files.openFiles()).isZero();
    }

    private static final class Bug extends IllegalStateException {
        private static final long serialVersionUID = 1;

        Bug() {
            super("a bug");
        }
    }

    private final class Writer implements WriteCompletion {
        @Override
        public void stored(Timestamp newest) {
            told.add("stored");
        }

        @Override
        public void failed(StorageException cause) {
            told.add(String.valueOf(cause.getMessage()));
        }
    }

    private final class Listener extends HealthyLog {
        @Override
        public boolean mayRoll() {
            if (mayRollFails) {
                throw new Bug();
            }
            return true;
        }

        @Override
        public long committed(List<PendingWrite> writes) {
            writes.forEach(write -> write.completion().stored(write.entry().timestamp()));
            return 0;
        }

        @Override
        public void failed(StorageException cause) {
            broken.add(cause);
        }
    }
}
