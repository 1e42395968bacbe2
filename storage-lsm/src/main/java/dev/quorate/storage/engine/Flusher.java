package dev.quorate.storage.engine;

import dev.quorate.storage.EntryCursor;
import dev.quorate.storage.Figures;
import dev.quorate.storage.StorageException;
import dev.quorate.storage.StorageOptions;
import dev.quorate.storage.UnreadValue;
import dev.quorate.storage.io.StorageFiles;
import dev.quorate.storage.sstable.TableMetadata;
import dev.quorate.storage.sstable.TableWriter;
import dev.quorate.storage.wal.GroupCommit;
import dev.quorate.storage.wal.LogSegment;
import dev.quorate.storage.wal.SegmentSupply;
import dev.quorate.storage.wal.SerialTask;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Flushes sealed memtables to tables, oldest first, and then recycles their log segments. The order
 * is: force the table, sync the directory, force the manifest, recycle the segments.
 *
 * <p>The first run also starts the log: it flushes the recovered memtables, and makes a new segment
 * the oldest one in the manifest. Until then the log accepts no writes, so the chain of segments
 * never continues after a torn tail. On a full disk the store remains readable in this state and
 * retries later.
 */
final class Flusher {

    private static final int PROGRESS_STEP = 1024;

    /**
     * The estimated share of a flush spent on writing; the rest is forcing the table and the
     * manifest.
     */
    private static final double WRITING_SHARE = 0.5;

    private final StorageFiles files;
    private final Path directory;
    private final StorageOptions options;
    private final LiveVersion live;
    private final GroupCommit commit;
    private final SegmentSupply supply;
    private final Consumer<StorageException> onFailure;
    private final Runnable onFlushed;
    private final SerialTask task;
    private final LongAdder flushes = new LongAdder();
    private final LongAdder bytesWritten = new LongAdder();

    /** The share of the oldest sealed memtable that is flushed, 0 to 1. */
    private volatile double progress;

    private @Nullable LogSegment first;
    private boolean started;

    Flusher(
            StoreRuntime runtime,
            LiveVersion live,
            GroupCommit commit,
            SegmentSupply supply,
            Consumer<StorageException> onFailure,
            Runnable onFlushed) {
        this.files = runtime.files();
        this.directory = runtime.directory();
        this.options = runtime.options();
        this.live = live;
        this.commit = commit;
        this.supply = supply;
        this.onFailure = onFailure;
        this.onFlushed = onFlushed;
        this.task = new SerialTask(runtime.executors().background(), this::run);
    }

    void schedule() {
        task.schedule();
    }

    void runNow() {
        task.runNow();
    }

    /** Runs on this thread if scheduled; returns whether it was. */
    boolean runPending() {
        return task.tryRun();
    }

    void register(Figures figures) {
        figures.counter("flushes", "Memtables written to tables.", flushes::sum);
        figures.counter("flush_bytes", "Bytes of tables written by flushes.", bytesWritten::sum);
    }

    /** The share of the oldest sealed memtable that is in its table, 0 to 1. */
    double progress() {
        return progress;
    }

    private void run() {
        Failures.passing("flush", this::flushAll, this::failed);
    }

    private void flushAll() throws IOException {
        if (!started) {
            start();
        }
        flushSealed();
    }

    private void failed(StorageException cause) {
        onFailure.accept(cause);
        for (SegmentMemtable waiting : live.current().sealed()) {
            waiting.flushFailed(cause);
        }
    }

    private void start() throws IOException {
        LogSegment segment = first;
        if (segment == null) {
            segment = supply.prepare(options.segmentBytes());
            first = segment;
            live.assignSegment(segment.number());
        }
        flushSealed();
        live.commitOldestSegment(segment.number());
        started = true;
        first = null;
        commit.begin(segment);
    }

    private void flushSealed() throws IOException {
        List<SegmentMemtable> sealed = live.current().sealed();
        while (!sealed.isEmpty()) {
            flush(sealed.getLast());
            sealed = live.current().sealed();
        }
    }

    private void flush(SegmentMemtable memtable) throws IOException {
        // If the last manifest write failed, the same table must be committed again: the failed
        // edit may be replayed after a crash.
        TableMetadata table = memtable.written();
        if (table == null && !memtable.table().isEmpty()) {
            table = write(memtable);
            memtable.setWritten(table);
        }
        live.commitFlush(memtable, table);
        progress = 0;
        for (long segment : memtable.segments()) {
            supply.recycle(segment);
        }
        flushes.increment();
        memtable.flushed().complete(null);
        commit.wake();
        onFlushed.run();
    }

    private TableMetadata write(SegmentMemtable memtable) throws IOException {
        TableWriter writer = new TableWriter(files, directory, live.takeFileNumber(), 0, options);
        TableMetadata table;
        try (EntryCursor entries = memtable.table().scan(new byte[0], null)) {
            int written = 0;
            while (entries.next()) {
                UnreadValue unread = entries.unreadValue();
                if (unread != null) {
                    writer.add(entries.key(), entries.timestamp(), unread);
                } else {
                    writer.add(entries.entry());
                }
                if (++written % PROGRESS_STEP == 0) {
                    progress = WRITING_SHARE * written / memtable.table().entries();
                }
            }
            table = writer.finish();
        } catch (RuntimeException | Error e) {
            progress = 0;
            writer.abandon();
            throw e;
        }
        files.syncDirectory(directory);
        bytesWritten.add(table.fileBytes());
        return table;
    }

    /** Stops flushing, and closes a segment that was prepared but not begun. */
    void stop() throws IOException {
        Failures.await(task.stop());
        LogSegment unused = first;
        if (unused != null) {
            unused.file().close();
        }
    }
}
