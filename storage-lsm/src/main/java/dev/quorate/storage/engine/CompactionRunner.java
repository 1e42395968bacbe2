package dev.quorate.storage.engine;

import dev.quorate.storage.CorruptionException;
import dev.quorate.storage.Damage;
import dev.quorate.storage.KeyRange;
import dev.quorate.storage.StorageException;
import dev.quorate.storage.StorageOptions;
import dev.quorate.storage.StoreListener;
import dev.quorate.storage.compaction.CompactionDecision;
import dev.quorate.storage.compaction.CompactionPicker;
import dev.quorate.storage.compaction.Compactor;
import dev.quorate.storage.compaction.Merge;
import dev.quorate.storage.compaction.UnreadableInputException;
import dev.quorate.storage.format.FileNames;
import dev.quorate.storage.io.StorageFiles;
import dev.quorate.storage.sstable.SSTable;
import dev.quorate.storage.sstable.TableMetadata;
import dev.quorate.storage.wal.Pacer;
import dev.quorate.storage.wal.SerialTask;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Performs, one after the other, the compactions that the picker decides on: a part at a time, with
 * pauses between the parts while there is no hurry.
 */
final class CompactionRunner {

    /** What is written before the rate is looked at again, with the usual memtables. */
    private static final long MAX_PART_BYTES = 256 << 10;

    /** Tables that are being merged. */
    private record Running(List<SSTable> inputs, Merge merge, int level0Inputs) {}

    /** Tables that are written and forced, but not yet in the manifest. */
    private record Written(List<SSTable> inputs, List<TableMetadata> outputs, long dropped) {}

    /**
     * How compaction chooses and what it makes, for tests of small stores with many tables.
     *
     * @param tableBytes size at which an output is finished
     * @param tombstoneShare see {@link Tombstones}
     */
    record Shape(CompactionPicker picker, long tableBytes, double tombstoneShare) {
        static final Shape USUAL =
                new Shape(new CompactionPicker(), Compactor.TABLE_BYTES, Tombstones.SHARE);
    }

    private final StorageFiles files;
    private final Path directory;
    private final long partBytes;
    private final long bytesPerSecond;
    private final AtomicLong fileNumbers;
    private final LiveVersion live;
    private final Consumer<StorageException> onFailure;
    private final CompactionPicker picker;
    private final Compactor compactor;
    private final DamagedTables damaged;
    private final ExpiryWatch expiry;
    private final Tombstones tombstones;
    private final SerialTask task;
    private final Pacer pacer;
    private final LongAdder compactions = new LongAdder();
    private final LongAdder unreadableInputs = new LongAdder();
    private final LongAdder bytesRead = new LongAdder();
    private final LongAdder bytesWritten = new LongAdder();
    private volatile boolean cancelled;
    private volatile double waiting;

    /** Written by the task alone. */
    private volatile @Nullable Running running;

    /** What was healed, and is to be replaced. */
    private final Set<Damage> toReplace = ConcurrentHashMap.newKeySet();

    /** What a full disk kept from the manifest; committed first, as it is. Of the task alone. */
    private @Nullable Written unfinished;

    CompactionRunner(
            StorageFiles files,
            Path directory,
            StorageOptions options,
            AtomicLong fileNumbers,
            LiveVersion live,
            Shape shape,
            StoreExecutors executors,
            LongSupplier nanoClock,
            LongSupplier expiredMillis,
            StoreListener listener,
            Consumer<StorageException> onFailure) {
        this.files = files;
        this.directory = directory;
        this.partBytes = Math.min(MAX_PART_BYTES, options.memtableBytes() / 4);
        this.bytesPerSecond = options.compactionBytesPerSecond();
        this.fileNumbers = fileNumbers;
        this.live = live;
        this.onFailure = onFailure;
        this.picker = shape.picker();
        this.compactor =
                new Compactor(files, directory, options, shape.tableBytes(), expiredMillis);
        this.tombstones = new Tombstones(live, shape.tombstoneShare());
        this.damaged = new DamagedTables(live, listener);
        this.task = new SerialTask(executors.background(), this::run);
        this.expiry =
                new ExpiryWatch(live, damaged, executors.delays(), expiredMillis, task::schedule);
        this.pacer = new Pacer(executors.delays(), nanoClock, task::schedule);
    }

    /** Looks for something to do. To be called when there are other tables than before. */
    void schedule() {
        countWaiting();
        task.schedule();
    }

    /** Likewise, where the tables are the same. Takes no lock. */
    void lookAgain() {
        task.schedule();
    }

    Tombstones tombstones() {
        return tombstones;
    }

    private void countWaiting() {
        waiting = picker.backlog(live.tables(), damaged.numbers());
    }

    /**
     * What waits to be merged, in tables of level 0. It falls while a compaction goes on, and not
     * all at once at its end: whatever is held back by this is held back smoothly.
     */
    double backlog() {
        Running now = running;
        double done = now == null ? 0 : now.level0Inputs() * now.merge().progress();
        return Math.max(0, waiting - done);
    }

    private void run() {
        try {
            boolean more = true;
            while (more && !cancelled) {
                more = step();
            }
        } catch (CancellationException e) {
            abandon();
        } catch (StorageException e) {
            abandon();
            onFailure.accept(e);
        } catch (IOException e) {
            abandon();
            onFailure.accept(Failures.of("compaction", e));
        } catch (RuntimeException | Error e) {
            abandon();
            onFailure.accept(new StorageException.Io("compaction failed: " + e, e));
            throw e;
        }
    }

    /** Does one thing, and says whether there may be another to do now. */
    private boolean step() throws IOException {
        if (pacer.holdsBack()) {
            return false;
        }
        Running now = running;
        if (unfinished != null) {
            commit(unfinished);
        } else if (now == null) {
            return begin();
        } else if (advance(now)) {
            pacer.spent(
                    partBytes, BackPressure.compactionBytesPerSecond(bytesPerSecond, backlog()));
        }
        return true;
    }

    /** Begins what is most urgent, and says whether there is anything. */
    private boolean begin() throws IOException {
        for (SSTable table : live.current().tables()) {
            if (table.isSuspect()) {
                damaged.examine(table);
                countWaiting();
            }
        }
        if (replaceHealed()) {
            return true;
        }
        CompactionDecision next =
                picker.pick(
                        live.tables(),
                        damaged.numbers(),
                        expiry.mostlyExpired(),
                        tombstones.worthCollecting());
        return switch (next) {
            case CompactionDecision.Nothing nothing -> {
                expiry.lookAgainLater();
                yield false;
            }
            case CompactionDecision.Compact decision -> begin(decision);
        };
    }

    /** Writes anew what can be read of a table that was healed; says whether there was one. */
    private boolean replaceHealed() throws IOException {
        List<Damage> known = damaged.all();
        toReplace.retainAll(known);
        for (Damage damage : known) {
            // Where no entry is lost there is nothing to wait for.
            if (damage.ranges().isEmpty() || toReplace.contains(damage)) {
                SSTable table = live.openTable(FileNames.parse(damage.file()).number());
                // Without the space it is tried again later, as below.
                if (table != null && files.freeBytes(directory) >= table.metadata().fileBytes()) {
                    replace(table, damage);
                    return true;
                }
            }
        }
        return false;
    }

    private void replace(SSTable table, Damage damage) throws IOException {
        List<KeyRange> healed = damage.ranges();
        Compactor.Salvaged salvaged;
        try {
            salvaged =
                    compactor.salvage(
                            table,
                            fileNumbers::getAndIncrement,
                            lost -> areCovered(lost, healed),
                            () -> cancelled);
        } catch (UnreadableInputException e) {
            toReplace.remove(damage);
            damaged.noteWhole(table.metadata(), e.reason());
            return;
        }
        if (areCovered(salvaged.lost(), healed)) {
            files.syncDirectory(directory);
            unfinished = new Written(List.of(table), salvaged.outputs(), 0);
        } else {
            toReplace.remove(damage);
            String what = "more of it cannot be read than when it was healed";
            damaged.note(
                    table.metadata(),
                    salvaged.lost(),
                    new CorruptionException(damage.file(), 0, what));
        }
    }

    private static boolean areCovered(List<KeyRange> lost, List<KeyRange> healed) {
        return lost.stream().allMatch(each -> healed.stream().anyMatch(all -> all.covers(each)));
    }

    private boolean begin(CompactionDecision.Compact decision) throws IOException {
        long inputBytes = 0;
        int level0 = 0;
        for (TableMetadata input : decision.inputs()) {
            inputBytes += input.fileBytes();
            level0 += input.level() == 0 ? 1 : 0;
        }
        if (files.freeBytes(directory) < inputBytes) {
            // It would fill the disk and then fail. Each flush asks again, and so does SpaceWatch.
            return false;
        }
        List<SSTable> inputs = live.openTables(decision.inputs());
        Merge merge =
                compactor.begin(
                        decision,
                        inputs,
                        fileNumbers::getAndIncrement,
                        tombstones.droppable(decision.inputs()),
                        () -> cancelled);
        running = new Running(inputs, merge, level0);
        return true;
    }

    /** Merges some more, and says whether there was any. */
    private boolean advance(Running now) throws IOException {
        try {
            if (now.merge().advance(partBytes)) {
                return true;
            }
        } catch (UnreadableInputException e) {
            // The table knows, and is looked at before anything else is begun.
            unreadableInputs.increment();
            abandon();
            return false;
        }
        List<TableMetadata> outputs = now.merge().finish();
        files.syncDirectory(directory);
        unfinished = new Written(now.inputs(), outputs, now.merge().dropped());
        return false;
    }

    private void commit(Written written) throws IOException {
        live.commitCompaction(written.inputs(), written.outputs());
        unfinished = null;
        countWaiting();
        running = null;
        compactions.increment();
        tombstones.countDropped(written.dropped());
        for (SSTable input : written.inputs()) {
            damaged.forget(input.metadata().number());
            bytesRead.add(input.metadata().fileBytes());
        }
        for (TableMetadata output : written.outputs()) {
            bytesWritten.add(output.fileBytes());
        }
    }

    /** Lets go of a compaction that did not come to its end, and leaves no file of it. */
    private void abandon() {
        Running now = running;
        running = null;
        if (now != null && unfinished == null) {
            now.merge().abandon();
        }
    }

    long compactions() {
        return compactions.sum();
    }

    long bytesRead() {
        return bytesRead.sum();
    }

    long bytesWritten() {
        return bytesWritten.sum();
    }

    /** How often a compaction ended because a table could not be read. */
    long unreadableInputs() {
        return unreadableInputs.sum();
    }

    DamagedTables damaged() {
        return damaged;
    }

    /** Looks at the tables of which a read has failed, unless that was done. Takes no lock. */
    void lookAtSuspects() {
        for (SSTable table : live.current().tables()) {
            if (table.isSuspect() && damaged.of(table.metadata().number()) == null) {
                task.schedule();
                return;
            }
        }
    }

    /** Replaces a table by what can be read of it. */
    void heal(Damage damage) {
        toReplace.add(damage);
        task.schedule();
    }

    void stop() {
        cancelled = true;
        Failures.await(task.stop());
        abandon();
    }
}
