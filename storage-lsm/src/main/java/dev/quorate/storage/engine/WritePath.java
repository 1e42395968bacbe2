package dev.quorate.storage.engine;

import dev.quorate.storage.Entry;
import dev.quorate.storage.Lookup;
import dev.quorate.storage.StorageException;
import dev.quorate.storage.StoreListener;
import dev.quorate.storage.Timestamp;
import dev.quorate.storage.WriteCompletion;
import dev.quorate.storage.sstable.SSTable;
import dev.quorate.storage.wal.PendingWrite;
import dev.quorate.storage.wal.SerialTask;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Inserts durable entries into the memtable and completes their writes. Runs on the completion
 * task.
 *
 * <p>A write completes with the newest timestamp of its key, which may be that of an entry in a
 * table. This costs nothing while timestamps grow: tables without an entry as new are not searched.
 * A late entry, whose timestamp is older, costs a look-up if its caller needs the newest; if that
 * would wait for the disk, it runs in the background and delays only its own write.
 */
final class WritePath {

    /** Runs steps on an executor, in the order in which they were added. */
    private static final class Steps {
        private final Queue<Runnable> queue = new ConcurrentLinkedQueue<>();
        private final SerialTask task;

        Steps(Executor executor) {
            this.task = new SerialTask(executor, this::run);
        }

        void add(Runnable step) {
            queue.add(step);
            task.schedule();
        }

        private void run() {
            Runnable step = queue.poll();
            while (step != null) {
                step.run();
                step = queue.poll();
            }
        }
    }

    private final LiveVersion live;
    private final StoreListener listener;
    private final ResidencyAge residency;
    private final Steps late;
    private final Steps completions;
    private final AtomicReference<Timestamp> newest;

    /**
     * @param newest updated by this class: a timestamp without a step, at or after every visible
     *     one and not made before any
     */
    WritePath(
            LiveVersion live,
            StoreListener listener,
            ResidencyAge residency,
            AtomicReference<Timestamp> newest,
            Executor completionExecutor,
            Executor background) {
        this.live = live;
        this.listener = listener;
        this.residency = residency;
        this.newest = newest;
        this.late = new Steps(background);
        this.completions = new Steps(completionExecutor);
    }

    /** Makes entries visible and completes their writes; returns the memtable's size in bytes. */
    long committed(List<PendingWrite> writes) {
        // Only this task seals, so this remains the active memtable for all of the writes.
        SuperVersion version = live.current();
        SegmentMemtable active = version.active();
        Timestamp latest = Objects.requireNonNull(newest.get());
        for (PendingWrite write : writes) {
            Entry entry = write.entry();
            Timestamp ceiling = entry.timestamp().ceiling();
            if (ceiling.isAfter(latest)) {
                latest = ceiling;
                newest.set(latest);
            }
            if (write.followsFailed()) {
                write.completion().failed(inLogAlone(null));
                continue;
            }
            Timestamp newestOfKey;
            try {
                newestOfKey = active.put(entry);
            } catch (StorageException.Overloaded e) {
                write.completion().failed(inLogAlone(e));
                continue;
            }
            listener.stored(entry);
            if (write.completion().needsNewest()
                    && version.newestBelowActive().isAfter(newestOfKey)) {
                completeLate(write, newestOfKey);
            } else {
                write.completion().stored(newestOfKey);
            }
        }
        return active.table().bytes();
    }

    /** The entry becomes visible if the store is opened again before its segment is recycled. */
    private static StorageException inLogAlone(StorageException.@Nullable Overloaded cause) {
        String why = cause == null ? "one before it is not" : cause.getMessage();
        return new StorageException.Io("durable, but not visible: " + why, cause);
    }

    /**
     * @param newestOfKey the timestamp of the active memtable's entry
     */
    private void completeLate(PendingWrite write, Timestamp newestOfKey) {
        Entry entry = write.entry();
        long hash = SSTable.hash(entry.key());
        Lookup found;
        try (LiveVersion.Retained retained = live.retain()) {
            SuperVersion version = retained.version();
            if (version.active().table().isNewest(entry.key(), hash)) {
                write.completion().stored(newestOfKey);
                return;
            }
            Entry best = ReadPath.inMemtables(version, entry.key(), hash);
            residency.check(version);
            found = ReadPath.inTables(version, entry.key(), hash, best, true);
        } catch (StorageException e) {
            write.completion().failed(e);
            return;
        }
        switch (found) {
            case Lookup.Found(Entry best) -> write.completion().stored(best.timestamp());
            case Lookup.Absent absent -> throw new IllegalStateException(entry + " was just put");
            case Lookup.NotResident later -> late.add(() -> checkLate(entry, write.completion()));
        }
    }

    private void checkLate(Entry entry, WriteCompletion completion) {
        long hash = SSTable.hash(entry.key());
        try (LiveVersion.Retained retained = live.retain()) {
            SuperVersion version = retained.version();
            Entry best = ReadPath.inMemtables(version, entry.key(), hash);
            Lookup found = ReadPath.inTables(version, entry.key(), hash, best, false);
            Timestamp newestOfKey =
                    (found instanceof Lookup.Found(Entry newer) ? newer : entry).timestamp();
            completions.add(() -> completion.stored(newestOfKey));
        } catch (StorageException e) {
            completions.add(() -> completion.failed(e));
        }
    }

    /** Waits until all late writes are complete. */
    void finishLate() {
        CompletableFuture<@Nullable Void> finished = new CompletableFuture<>();
        late.add(() -> completions.add(() -> finished.complete(null)));
        late.task.tryRun();
        completions.task.tryRun();
        Failures.await(finished);
    }
}
