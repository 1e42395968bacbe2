package dev.quorate.storage.engine;

import dev.quorate.storage.Figures;
import dev.quorate.storage.StorageException;
import dev.quorate.storage.Timestamp;
import dev.quorate.storage.io.StorageFiles;
import dev.quorate.storage.manifest.StoreVersion;
import dev.quorate.storage.manifest.VersionEdit;
import dev.quorate.storage.manifest.VersionSet;
import dev.quorate.storage.memtable.MemtableMemory;
import dev.quorate.storage.sstable.SSTable;
import dev.quorate.storage.sstable.TableMetadata;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The current state of the store: the active memtable, the sealed ones, the tables. Every change
 * publishes a new {@link SuperVersion}; changes of the tables are committed to the manifest first.
 */
final class LiveVersion {

    private final StorageFiles files;
    private final Path directory;
    private final VersionSet versions;
    private final AtomicLong nextFileNumber;
    private final Supplier<Timestamp> newest;
    private final MemtableMemory memory;

    /**
     * Guards {@code versions}. Held across the manifest's fsync, an exception to "no I/O under a
     * lock": edits must be serial, they are rare, and only flushes and compactions wait for them.
     */
    private final Object manifestLock = new Object();

    /** Guards the next three fields and the changes of {@code current}. No I/O under it. */
    private final Object publishLock = new Object();

    private SegmentMemtable active;
    private final List<SegmentMemtable> sealed = new ArrayList<>();
    private final List<SSTable> tables;

    private volatile @Nullable SuperVersion current;

    /**
     * @param found this takes over its references to memtables and tables
     * @param newest returns a timestamp at or after every one in the store
     */
    LiveVersion(StoreRuntime runtime, Opening.Found found, Supplier<Timestamp> newest) {
        List<SegmentMemtable> recovered = found.memtables();
        this.files = runtime.files();
        this.directory = runtime.directory();
        this.versions = found.versions();
        this.nextFileNumber = new AtomicLong(found.nextFileNumber());
        this.tables = new ArrayList<>(found.tables());
        this.newest = newest;
        this.memory = found.memory();
        this.sealed.addAll(recovered);
        this.active = next(recovered.isEmpty() ? null : recovered.getLast());
        publish(() -> {});
    }

    void register(Figures figures) {
        figures.gauge(
                "memtable_size_bytes",
                "Bytes of entries in memory.",
                () -> current().active().table().bytes() + sealedBytes());
        figures.gauge(
                "entries",
                "Entries in memory and in sorted tables. Tombstones and replaced entries count"
                        + " until compaction drops them, so there are at most as many keys.",
                () ->
                        metadata().mapToLong(TableMetadata::entries).sum()
                                + current().active().table().entries()
                                + current().sealed().stream()
                                        .mapToLong(each -> each.table().entries())
                                        .sum());
        figures.gauge("sstables", "Sorted tables.", () -> current().tables().size());
        figures.gauge(
                "sstables_level_zero",
                "Sorted tables of level 0.",
                () -> current().overlapping().length);
        figures.gauge(
                "sstable_size_bytes",
                "Bytes of sorted tables.",
                () -> metadata().mapToLong(TableMetadata::fileBytes).sum());
        figures.gauge(
                "tombstones",
                "Tombstones in sorted tables.",
                () -> metadata().mapToLong(TableMetadata::tombstones).sum());
        figures.gauge(
                "tombstone_oldest_timestamp_seconds",
                "Oldest possible tombstone in sorted tables, in seconds since 1970.",
                () ->
                        metadata()
                                .filter(table -> table.tombstones() > 0)
                                .mapToDouble(table -> table.oldest().wallMillis() / 1e3)
                                .min()
                                .orElse(Double.NaN));
    }

    private Stream<TableMetadata> metadata() {
        return current().tables().stream().map(SSTable::metadata);
    }

    private SegmentMemtable next(@Nullable SegmentMemtable before) {
        return SegmentMemtable.after(before, memory);
    }

    /** The current version. Retain it before using its memtables and tables. */
    SuperVersion current() {
        SuperVersion version = current;
        if (version == null) {
            throw new StorageException.Closed("the store is closed");
        }
        return version;
    }

    /** The current version, retained until the result is closed. */
    Retained retain() {
        while (true) {
            SuperVersion version = current();
            int reference = version.references().tryRetain();
            if (reference >= 0) {
                return new Retained(version, reference);
            }
        }
    }

    /** A version of the manifest whose tables {@code retained} protects from deletion. */
    record Consistent(StoreVersion version, Retained retained) implements AutoCloseable {
        @Override
        public void close() {
            retained.close();
        }
    }

    /** The manifest's version, with the tables retained. */
    Consistent retainVersion() {
        // Commits publish under this lock, so the two are consistent.
        synchronized (manifestLock) {
            StoreVersion version = versions.version();
            return new Consistent(version, retain());
        }
    }

    record Retained(SuperVersion version, int reference) implements AutoCloseable {
        @Override
        public void close() {
            version.references().release(reference);
        }
    }

    /** A number never used for a file of the store. */
    long takeFileNumber() {
        return nextFileNumber.getAndIncrement();
    }

    private void publish(Runnable change) {
        SuperVersion old;
        synchronized (publishLock) {
            change.run();
            old = current;
            current = new SuperVersion(active, sealed, tables);
        }
        // Outside the lock: this may unmap and delete files.
        if (old != null) {
            old.references().retire();
        }
    }

    /** Assigns a segment to the active memtable, which is empty. */
    void assignSegment(long segment) {
        synchronized (publishLock) {
            active.segments().add(segment);
        }
    }

    /** Seals the active memtable; the next one belongs to segment {@code next}. */
    void seal(long next) {
        if (active().table().isEmpty()) {
            // Its segments are empty, but remain in the chain until the next flush.
            assignSegment(next);
            return;
        }
        publish(
                () -> {
                    sealed.add(active);
                    active = next(active);
                    active.segments().add(next);
                });
    }

    SegmentMemtable active() {
        synchronized (publishLock) {
            return active;
        }
    }

    /** The memory in use by the sealed memtables, in bytes. */
    long sealedBytes() {
        return current().sealed().stream().mapToLong(each -> each.table().bytes()).sum();
    }

    int sealedCount() {
        return current().sealed().size();
    }

    /**
     * Replaces the oldest sealed memtable by its table; its segments are then obsolete.
     *
     * @param written null if the memtable is empty
     */
    void commitFlush(SegmentMemtable flushed, @Nullable TableMetadata written) throws IOException {
        List<TableMetadata> added = written == null ? List.of() : List.of(written);
        replace(added, List.of(), () -> oldestSegmentAfter(flushed), () -> sealed.remove(flushed));
        flushed.disown();
    }

    private long oldestSegmentAfter(SegmentMemtable flushed) {
        synchronized (publishLock) {
            int index = sealed.indexOf(flushed) + 1;
            SegmentMemtable next = index < sealed.size() ? sealed.get(index) : active;
            return next.segments().getFirst();
        }
    }

    /** Records {@code segment} as the oldest one, without any other change. */
    void commitOldestSegment(long segment) throws IOException {
        synchronized (manifestLock) {
            commit(List.of(), List.of(), segment, List.of());
        }
    }

    /**
     * Replaces the inputs of a compaction by its outputs. The input files are deleted with their
     * last reader.
     */
    void commitCompaction(List<SSTable> inputs, List<TableMetadata> outputs) throws IOException {
        List<Long> removed = inputs.stream().map(input -> input.metadata().number()).toList();
        replace(outputs, removed, () -> 0, () -> tables.removeAll(inputs));
        for (SSTable input : inputs) {
            input.markObsolete();
            input.release();
        }
    }

    /**
     * Moves a table to level 0, where tables may overlap, without rewriting it.
     *
     * @throws dev.quorate.storage.CorruptionException if it cannot be opened again
     */
    void moveToLevel0(SSTable table) throws IOException {
        List<TableMetadata> moved = List.of(table.metadata().atLevel(0));
        replace(moved, List.of(table.metadata().number()), () -> 0, () -> tables.remove(table));
        // Not obsolete: the file remains, and only this mapping closes with its last reader.
        table.release();
    }

    /**
     * Commits a change of the tables, then publishes it.
     *
     * @param oldestSegment evaluated with the lock; see {@link VersionEdit}
     * @param change removes what the added tables replace
     */
    private void replace(
            List<TableMetadata> added,
            List<Long> removed,
            LongSupplier oldestSegment,
            Runnable change)
            throws IOException {
        List<SSTable> opened = open(added);
        synchronized (manifestLock) {
            commit(added, removed, oldestSegment.getAsLong(), opened);
            publish(
                    () -> {
                        change.run();
                        tables.addAll(opened);
                    });
        }
    }

    private List<SSTable> open(List<TableMetadata> added) {
        List<SSTable> opened = new ArrayList<>();
        try {
            for (TableMetadata table : added) {
                opened.add(SSTable.open(files, directory, table));
            }
            return opened;
        } catch (RuntimeException | Error e) {
            opened.forEach(SSTable::release);
            throw e;
        }
    }

    private void commit(
            List<TableMetadata> added, List<Long> removed, long oldestSegment, List<SSTable> opened)
            throws IOException {
        VersionEdit edit =
                new VersionEdit(added, removed, oldestSegment, nextFileNumber.get(), newest.get());
        try {
            versions.commit(edit, this::takeFileNumber);
        } catch (IOException | RuntimeException | Error e) {
            opened.forEach(SSTable::release);
            throw e;
        }
    }

    List<TableMetadata> tables() {
        synchronized (manifestLock) {
            return versions.version().tables();
        }
    }

    /** The open table with a number; null if none. */
    @Nullable SSTable openTable(long number) {
        synchronized (publishLock) {
            return withNumber(number).findFirst().orElse(null);
        }
    }

    /** The open tables of {@code wanted}; they remain open until a compaction removes them. */
    List<SSTable> openTables(List<TableMetadata> wanted) {
        synchronized (publishLock) {
            return wanted.stream().flatMap(one -> withNumber(one.number())).toList();
        }
    }

    private Stream<SSTable> withNumber(long number) {
        return tables.stream().filter(table -> table.metadata().number() == number);
    }

    /** Rejects further reads; memtables are freed and tables close with their last reader. */
    void close() throws IOException {
        SuperVersion last;
        List<SSTable> owned;
        List<SegmentMemtable> memtables = new ArrayList<>();
        synchronized (publishLock) {
            last = current;
            current = null;
            owned = List.copyOf(tables);
            tables.clear();
            memtables.addAll(sealed);
            sealed.clear();
            memtables.add(active);
        }
        if (last != null) {
            last.references().retire();
        }
        owned.forEach(SSTable::release);
        memtables.forEach(SegmentMemtable::disown);
        synchronized (manifestLock) {
            versions.close();
        }
    }
}
