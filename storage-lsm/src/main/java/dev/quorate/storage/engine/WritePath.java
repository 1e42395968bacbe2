package dev.quorate.storage.engine;

import dev.quorate.storage.Entry;
import dev.quorate.storage.Lookup;
import dev.quorate.storage.StorageException;
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
 * What becomes of an entry once it is durable: it enters the memtable, and its writer is told. Runs
 * on the completion task.
 *
 * <p>A writer is told the newest timestamp of the key, which a table may hold. That is free as long
 * as timestamps grow: places where nothing is as new as the entry are not asked. A late entry (from
 * a repair or a hint) costs a look-up; if that would have to wait for the disk, it is done in the
 * background, so that it delays its own writer and nobody else.
 */
final class WritePath {

    private sealed interface Late {

        record Check(Entry entry, WriteCompletion completion) implements Late {}

        /** Everything before this was told. */
        record Passed(CompletableFuture<@Nullable Void> mark) implements Late {}
    }

    private final LiveVersion live;
    private final ResidencyAge residency;
    private final SerialTask lateTask;
    private final Queue<Late> late = new ConcurrentLinkedQueue<>();
    private final SerialTask tellTask;
    private final Queue<Runnable> toTell = new ConcurrentLinkedQueue<>();
    private final AtomicReference<Timestamp> newest;

    /**
     * @param newest what this keeps up to date: a timestamp not before any that became visible
     */
    WritePath(
            LiveVersion live,
            ResidencyAge residency,
            AtomicReference<Timestamp> newest,
            Executor completionExecutor,
            Executor background) {
        this.live = live;
        this.residency = residency;
        this.newest = newest;
        this.lateTask = new SerialTask(background, this::runLate);
        this.tellTask = new SerialTask(completionExecutor, this::tell);
    }

    /** Makes entries visible and tells their writers; gives the memtable's size in bytes. */
    long committed(List<PendingWrite> writes) {
        // Nobody but this task seals, so this is the active memtable until the last of the writes.
        SuperVersion version = live.current();
        SegmentMemtable active = version.active();
        Timestamp latest = Objects.requireNonNull(newest.get());
        for (PendingWrite write : writes) {
            Entry entry = write.entry();
            if (entry.timestamp().isAfter(latest)) {
                latest = entry.timestamp();
                newest.set(latest);
            }
            Timestamp held = active.put(entry);
            if (version.newestBelowActive().isAfter(held)) {
                tellLate(write);
            } else {
                write.completion().stored(held);
            }
        }
        return active.table().bytes();
    }

    private void tellLate(PendingWrite write) {
        Entry entry = write.entry();
        long hash = SSTable.hash(entry.key());
        Lookup found;
        try (LiveVersion.Retained retained = live.retain()) {
            SuperVersion version = retained.version();
            Entry best = ReadPath.inMemtables(version, entry.key(), hash);
            residency.check(version);
            found = ReadPath.inResidentTables(version, entry.key(), hash, best);
        } catch (StorageException e) {
            write.completion().storedBesideDamage(e);
            return;
        }
        switch (found) {
            case Lookup.Found(Entry best) -> write.completion().stored(best.timestamp());
            case Lookup.Absent absent -> throw new IllegalStateException(entry + " was just put");
            case Lookup.NotResident later -> {
                late.add(new Late.Check(entry, write.completion()));
                lateTask.schedule();
            }
        }
    }

    private void runLate() {
        Late next = late.poll();
        while (next != null) {
            switch (next) {
                case Late.Check(Entry entry, WriteCompletion completion) ->
                        checkLate(entry, completion);
                case Late.Passed(CompletableFuture<@Nullable Void> mark) ->
                        tell(() -> mark.complete(null));
            }
            next = late.poll();
        }
    }

    private void checkLate(Entry entry, WriteCompletion completion) {
        long hash = SSTable.hash(entry.key());
        try (LiveVersion.Retained retained = live.retain()) {
            SuperVersion version = retained.version();
            Entry best = ReadPath.inMemtables(version, entry.key(), hash);
            Entry found = ReadPath.inTables(version, entry.key(), hash, best);
            Timestamp held = found == null ? entry.timestamp() : found.timestamp();
            tell(() -> completion.stored(held));
        } catch (StorageException e) {
            tell(() -> completion.storedBesideDamage(e));
        }
    }

    private void tell(Runnable answer) {
        toTell.add(answer);
        tellTask.schedule();
    }

    private void tell() {
        Runnable answer = toTell.poll();
        while (answer != null) {
            answer.run();
            answer = toTell.poll();
        }
    }

    /** Waits until the writers of all late entries were told. */
    void finishLate() {
        CompletableFuture<@Nullable Void> told = new CompletableFuture<>();
        late.add(new Late.Passed(told));
        lateTask.schedule();
        lateTask.tryRun();
        tellTask.tryRun();
        Failures.await(told);
    }
}
