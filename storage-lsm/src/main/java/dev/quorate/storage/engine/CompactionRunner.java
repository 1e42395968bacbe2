package dev.quorate.storage.engine;

import dev.quorate.storage.CorruptionException;
import dev.quorate.storage.Damage;
import dev.quorate.storage.Figures;
import dev.quorate.storage.KeyRange;
import dev.quorate.storage.StorageException;
import dev.quorate.storage.ValueShortener;
import dev.quorate.storage.compaction.CompactionDecision;
import dev.quorate.storage.compaction.CompactionPicker;
import dev.quorate.storage.compaction.Compactor;
import dev.quorate.storage.compaction.Merge;
import dev.quorate.storage.compaction.UnreadableInputException;
import dev.quorate.storage.format.FileNames;
import dev.quorate.storage.io.StorageFiles;
import dev.quorate.storage.sstable.SSTable;
import dev.quorate.storage.sstable.TableMetadata;
import dev.quorate.storage.wal.Delays;
import dev.quorate.storage.wal.GroupCommit;
import dev.quorate.storage.wal.Pacer;
import dev.quorate.storage.wal.SerialTask;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Runs the compactions that the picker decides on, one at a time and in steps, with pauses between
 * the steps while the backlog is small.
 */
final class CompactionRunner {

    /** Bytes written in one step, with memtables of the default size. */
    private static final long MAX_PART_BYTES = 256 << 10;

    private record Running(List<SSTable> inputs, Merge merge, int level0Inputs) {}

    /** Outputs that are forced but not yet in the manifest. */
    private record Written(List<SSTable> inputs, List<TableMetadata> outputs, long dropped) {}

    /**
     * The parameters of compaction, which tests of small stores with many tables change.
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
    private final LiveVersion live;
    private final Consumer<StorageException> onFailure;
    private final CompactionPicker picker;
    private final Compactor compactor;
    private final DamagedTables damaged;
    private final ExpiryWatch expiry;
    private final Tombstones tombstones;
    private final Discards discards;
    private final SerialTask task;
    private final Pacer pacer;
    private final LongAdder compactions = new LongAdder();
    private final LongAdder unreadableInputs = new LongAdder();
    private final LongAdder bytesRead = new LongAdder();
    private final LongAdder bytesWritten = new LongAdder();
    private volatile boolean cancelled;
    private volatile double tableBacklog;

    /** Written by the task alone. */
    private volatile @Nullable Running running;

    private volatile Supplier<ValueShortener> shorteners = () -> (key, value) -> null;

    /** Damage whose ranges are healed and whose tables wait to be replaced. */
    private final Set<Damage> toReplace = ConcurrentHashMap.newKeySet();

    /**
     * Outputs not yet committed, for instance because the disk was full; committed before anything
     * else. Used by the task alone.
     */
    private @Nullable Written unfinished;

    CompactionRunner(
            StoreRuntime runtime,
            LiveVersion live,
            Shape shape,
            GroupCommit commit,
            Consumer<StorageException> onFailure) {
        StoreExecutors executors = runtime.executors();
        LongSupplier expiredMillis = runtime.clocks().expiredMillis();
        this.files = runtime.files();
        this.directory = runtime.directory();
        this.partBytes = Math.min(MAX_PART_BYTES, runtime.options().memtableBytes() / 4);
        this.bytesPerSecond = runtime.options().compactionBytesPerSecond();
        this.live = live;
        this.onFailure = onFailure;
        this.picker = shape.picker();
        this.compactor =
                new Compactor(
                        files, directory, runtime.options(), shape.tableBytes(), expiredMillis);
        this.tombstones = new Tombstones(live, shape.tombstoneShare());
        this.damaged = new DamagedTables(live, runtime.listener());
        this.task = new SerialTask(executors.background(), this::run);
        this.discards = new Discards(live, commit, task::schedule);
        this.expiry = new ExpiryWatch(executors.delays(), expiredMillis);
        this.pacer = new Pacer(executors.delays(), runtime.clocks().nanos(), task::schedule);
    }

    /** Schedules compaction after a change of the tables. */
    void schedule() {
        updateBacklog();
        task.schedule();
    }

    /** Schedules compaction of unchanged tables. Acquires no lock. */
    void recheck() {
        task.schedule();
    }

    Tombstones tombstones() {
        return tombstones;
    }

    Discards discards() {
        return discards;
    }

    private void updateBacklog() {
        tableBacklog = picker.backlog(live.tables(), damaged.numbers());
    }

    /**
     * The compaction backlog, in tables of level 0. It falls gradually while a compaction
     * progresses, so that throttling changes smoothly.
     */
    double backlog() {
        Running now = running;
        double done = now == null ? 0 : now.level0Inputs() * now.merge().progress();
        return Math.max(0, tableBacklog - done);
    }

    private void run() {
        Failures.passing(
                "compaction",
                this::runSteps,
                cause -> {
                    abandon();
                    onFailure.accept(cause);
                });
    }

    private void runSteps() throws IOException {
        try {
            boolean more = true;
            while (more && !cancelled) {
                more = step();
            }
        } catch (CancellationException e) {
            abandon();
        }
    }

    /** Runs one step; returns whether another may follow now. */
    private boolean step() throws IOException {
        if (pacer.mustPause()) {
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

    /** Begins the most urgent work; returns whether it found any. */
    private boolean begin() throws IOException {
        for (SSTable table : live.current().tables()) {
            if (table.isSuspect()) {
                damaged.examine(table);
                updateBacklog();
            }
        }
        if (replaceHealed()) {
            return true;
        }
        Set<Long> rewritable = new HashSet<>(discards.untested());
        rewritable.addAll(expiry.mostlyExpired());
        CompactionDecision next =
                picker.pick(
                        live.tables(), damaged.numbers(), rewritable, tombstones.worthCollecting());
        if (next == null) {
            expiry.scheduleRecheck();
            return false;
        }
        return begin(next);
    }

    /** Replaces one healed table by its readable entries; returns whether there was one. */
    private boolean replaceHealed() throws IOException {
        List<Damage> known = damaged.all();
        toReplace.retainAll(known);
        for (Damage damage : known) {
            // A table that has lost no entry is replaced without healing.
            if (damage.ranges().isEmpty() || toReplace.contains(damage)) {
                SSTable table = live.openTable(FileNames.parse(damage.file()).number());
                // Without enough space it is retried later, as in begin.
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
                            live::takeFileNumber,
                            discards.kept(),
                            lost -> allCovered(lost, healed),
                            () -> cancelled);
        } catch (UnreadableInputException e) {
            toReplace.remove(damage);
            damaged.addWhole(table.metadata(), e.reason());
            return;
        }
        if (allCovered(salvaged.lost(), healed)) {
            files.syncDirectory(directory);
            unfinished = new Written(List.of(table), salvaged.outputs(), 0);
        } else {
            toReplace.remove(damage);
            String what = "more of it is unreadable than when it was healed";
            damaged.add(
                    table.metadata(),
                    salvaged.lost(),
                    new CorruptionException(damage.file(), 0, what));
        }
    }

    private static boolean allCovered(List<KeyRange> lost, List<KeyRange> healed) {
        return lost.stream().allMatch(each -> healed.stream().anyMatch(all -> all.covers(each)));
    }

    private boolean begin(CompactionDecision decision) throws IOException {
        long inputBytes = 0;
        int level0 = 0;
        for (TableMetadata input : decision.inputs()) {
            inputBytes += input.fileBytes();
            level0 += input.level() == 0 ? 1 : 0;
        }
        if (files.freeBytes(directory) < inputBytes) {
            // The outputs might fill the disk. Each flush retries, and so does SpaceWatch.
            return false;
        }
        List<SSTable> inputs = live.openTables(decision.inputs());
        Merge merge =
                compactor.begin(
                        decision,
                        inputs,
                        live::takeFileNumber,
                        new Merge.Rules(
                                tombstones.droppable(decision.inputs()),
                                discards.kept(),
                                shorteners.get()),
                        () -> cancelled);
        running = new Running(inputs, merge, level0);
        return true;
    }

    /** Merges one step; returns whether any input remains. */
    private boolean advance(Running now) throws IOException {
        try {
            if (now.merge().advance(partBytes)) {
                return true;
            }
        } catch (UnreadableInputException e) {
            // The table is now suspect, and is examined before the next compaction begins.
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
        updateBacklog();
        running = null;
        compactions.increment();
        tombstones.countDropped(written.dropped());
        for (SSTable input : written.inputs()) {
            damaged.remove(input.metadata().number());
            bytesRead.add(input.metadata().fileBytes());
        }
        for (TableMetadata output : written.outputs()) {
            bytesWritten.add(output.fileBytes());
        }
    }

    /** Abandons an unfinished compaction and deletes its outputs. */
    private void abandon() {
        Running now = running;
        running = null;
        if (now != null && unfinished == null) {
            now.merge().abandon();
        }
    }

    void register(Figures figures) {
        figures.counter("compactions", "Compactions finished.", compactions::sum);
        String bytes = "Bytes that compactions read and wrote.";
        figures.counter("compaction_bytes", bytes, bytesRead::sum, "dir", "read");
        figures.counter("compaction_bytes", bytes, bytesWritten::sum, "dir", "written");
        tombstones.register(figures);
        discards.register(figures);
        damaged.register(figures);
    }

    /** The number of compactions that failed because an input was unreadable. */
    long unreadableInputs() {
        return unreadableInputs.sum();
    }

    DamagedTables damaged() {
        return damaged;
    }

    /** Schedules the examination of suspect tables not yet known as damaged. Acquires no lock. */
    void examineSuspects() {
        for (SSTable table : live.current().tables()) {
            if (table.isSuspect() && damaged.of(table.metadata().number()) == null) {
                task.schedule();
                return;
            }
        }
    }

    /** See {@link dev.quorate.storage.KeyValueStore#shorten}. */
    void shorten(Supplier<ValueShortener> made) {
        shorteners = made;
    }

    void heal(Damage damage) {
        toReplace.add(damage);
        task.schedule();
    }

    void stop() {
        cancelled = true;
        Failures.await(task.stop());
        abandon();
    }

    /**
     * Determines which tables are worth rewriting for their expired values, and schedules a recheck
     * even if no writes arrive.
     */
    private final class ExpiryWatch {

        private static final long SHORTEST_WAIT_MILLIS = 1_000;

        /** Bounded because {@code expiredMillis} may jump. */
        private static final long LONGEST_WAIT_MILLIS = 10 * 60 * 1_000;

        private final Delays delays;
        private final LongSupplier expiredMillis;
        private final AtomicBoolean waiting = new AtomicBoolean();

        ExpiryWatch(Delays delays, LongSupplier expiredMillis) {
            this.delays = delays;
            this.expiredMillis = expiredMillis;
        }

        /**
         * When a table becomes worth rewriting: when half of it has expired and the grace period is
         * over.
         */
        private static long dueMillis(SSTable table) {
            long expired = table.mostlyExpiredAtMillis();
            long latest = SSTable.NEVER - Compactor.EXPIRY_GRACE_MILLIS;
            return expired > latest ? SSTable.NEVER : expired + Compactor.EXPIRY_GRACE_MILLIS;
        }

        /** The numbers of the tables half of whose entries can become tombstones now. */
        Set<Long> mostlyExpired() {
            long now = expiredMillis.getAsLong();
            return live.current().tables().stream()
                    .filter(table -> dueMillis(table) <= now)
                    .map(table -> table.metadata().number())
                    .collect(Collectors.toSet());
        }

        /** Schedules a recheck for when the next table is due, unless none ever is. */
        void scheduleRecheck() {
            long now = expiredMillis.getAsLong();
            long next = SSTable.NEVER;
            boolean any = false;
            for (SSTable table : live.current().tables()) {
                long due = dueMillis(table);
                if (due != SSTable.NEVER
                        && !damaged.numbers().contains(table.metadata().number())) {
                    any = true;
                    // A table that is due but could not be rewritten is retried after the longest
                    // wait.
                    next = due > now ? Math.min(next, due) : next;
                }
            }
            if (any && waiting.compareAndSet(false, true)) {
                long wait = Math.clamp(next - now, SHORTEST_WAIT_MILLIS, LONGEST_WAIT_MILLIS);
                delays.runAfter(wait, this::recheck);
            }
        }

        private void recheck() {
            waiting.set(false);
            task.schedule();
        }
    }
}
