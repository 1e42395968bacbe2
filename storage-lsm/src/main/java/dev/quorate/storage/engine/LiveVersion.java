package dev.quorate.storage.engine;

import dev.quorate.storage.StorageException;
import dev.quorate.storage.Timestamp;
import dev.quorate.storage.io.StorageFiles;
import dev.quorate.storage.manifest.Version;
import dev.quorate.storage.manifest.VersionEdit;
import dev.quorate.storage.manifest.VersionSet;
import dev.quorate.storage.sstable.SSTable;
import dev.quorate.storage.sstable.TableMetadata;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What the store consists of right now: the active memtable, the sealed ones, the tables. Every
 * change of it publishes a new {@link SuperVersion}; changes of the tables are in the manifest
 * before.
 */
final class LiveVersion {

    private final StorageFiles files;
    private final Path directory;
    private final VersionSet versions;
    private final AtomicLong fileNumbers;
    private final Supplier<Timestamp> newest;

    /**
     * Guards {@code versions}. Held across the manifest's fsync, an exception to "no I/O under a
     * lock": the edits must go one by one, they are rare, and only flushes and compactions wait.
     */
    private final ReentrantLock manifestLock = new ReentrantLock();

    /** Guards the next three fields and the changes of {@code current}. No I/O under it. */
    private final Object publishLock = new Object();

    private SegmentMemtable active;
    private final List<SegmentMemtable> sealed = new ArrayList<>();
    private final List<SSTable> tables;

    private volatile @Nullable SuperVersion current;
    private volatile int sealedCount;
    private volatile long sealedBytes;

    /**
     * @param tables the open tables of the version, whose references pass to this
     * @param recovered memtables read from the log, oldest first; sealed
     * @param newest a timestamp not before any of the store
     */
    LiveVersion(
            StorageFiles files,
            Path directory,
            VersionSet versions,
            AtomicLong fileNumbers,
            List<SSTable> tables,
            List<SegmentMemtable> recovered,
            Supplier<Timestamp> newest) {
        this.files = files;
        this.directory = directory;
        this.versions = versions;
        this.fileNumbers = fileNumbers;
        this.tables = new ArrayList<>(tables);
        this.newest = newest;
        this.sealed.addAll(recovered);
        this.active = SegmentMemtable.after(recovered.isEmpty() ? null : recovered.getLast());
        publish(() -> {});
    }

    /** What a reader sees now. Retain it before touching its tables. */
    SuperVersion current() {
        SuperVersion version = current;
        if (version == null) {
            throw new StorageException.Closed("the store is closed");
        }
        return version;
    }

    /** What a reader sees now, with the token of a reference that it must give back. */
    Retained retain() {
        while (true) {
            SuperVersion version = current();
            int reference = version.references().tryRetain();
            if (reference >= 0) {
                return new Retained(version, reference);
            }
        }
    }

    /** The tables as the manifest has them, kept from being deleted by {@code retained}. */
    record Consistent(Version version, Retained retained) implements AutoCloseable {
        @Override
        public void close() {
            retained.close();
        }
    }

    /** The manifest's version, and a reference to what a reader sees of it. */
    Consistent retainVersion() {
        // Commits publish under this lock, so that the two are of one moment.
        manifestLock.lock();
        try {
            Version version = versions.version();
            return new Consistent(version, retain());
        } finally {
            manifestLock.unlock();
        }
    }

    record Retained(SuperVersion version, int reference) implements AutoCloseable {
        @Override
        public void close() {
            version.references().release(reference);
        }
    }

    private void publish(Runnable change) {
        SuperVersion old;
        synchronized (publishLock) {
            change.run();
            sealedCount = sealed.size();
            sealedBytes = sealed.stream().mapToLong(each -> each.table().bytes()).sum();
            old = current;
            current = new SuperVersion(active, sealed, tables);
        }
        // Outside of the lock: this may unmap and delete files.
        if (old != null) {
            old.references().retire();
        }
    }

    /** Sets the segment that the active memtable, which is empty, belongs to. */
    void beginWith(long segment) {
        synchronized (publishLock) {
            active.segments().add(segment);
        }
    }

    /** Seals the active memtable; what follows is of segment {@code next}. */
    void seal(long next) {
        if (active().table().isEmpty()) {
            // Its segments hold nothing, but they stay in the chain until the next flush.
            beginWith(next);
            return;
        }
        publish(
                () -> {
                    sealed.add(active);
                    active = SegmentMemtable.after(active);
                    active.segments().add(next);
                });
    }

    SegmentMemtable active() {
        synchronized (publishLock) {
            return active;
        }
    }

    /** About what the sealed memtables take on the heap. */
    long sealedBytes() {
        return sealedBytes;
    }

    int sealedCount() {
        return sealedCount;
    }

    @Nullable SegmentMemtable oldestSealed() {
        synchronized (publishLock) {
            return sealed.isEmpty() ? null : sealed.getFirst();
        }
    }

    /** The sealed memtables, oldest first. */
    List<SegmentMemtable> sealed() {
        synchronized (publishLock) {
            return List.copyOf(sealed);
        }
    }

    /**
     * Puts a table in the place of the oldest sealed memtable, whose segments are not needed then.
     *
     * @param written null if the memtable is empty
     */
    void commitFlush(SegmentMemtable flushed, @Nullable TableMetadata written) throws IOException {
        List<TableMetadata> added = written == null ? List.of() : List.of(written);
        List<SSTable> opened = open(added);
        manifestLock.lock();
        try {
            commit(added, List.of(), oldestSegmentAfter(flushed), opened);
            publish(
                    () -> {
                        sealed.remove(flushed);
                        tables.addAll(opened);
                    });
        } finally {
            manifestLock.unlock();
        }
    }

    private long oldestSegmentAfter(SegmentMemtable flushed) {
        synchronized (publishLock) {
            int index = sealed.indexOf(flushed) + 1;
            SegmentMemtable next = index < sealed.size() ? sealed.get(index) : active;
            return next.segments().getFirst();
        }
    }

    /** Makes {@code segment} the oldest one, where nothing else changes. */
    void commitOldestSegment(long segment) throws IOException {
        manifestLock.lock();
        try {
            commit(List.of(), List.of(), segment, List.of());
        } finally {
            manifestLock.unlock();
        }
    }

    /** Replaces tables by what they were merged into. The old files go with their last reader. */
    void commitCompaction(List<SSTable> inputs, List<TableMetadata> outputs) throws IOException {
        List<SSTable> opened = open(outputs);
        List<Long> removed = new ArrayList<>();
        for (SSTable input : inputs) {
            removed.add(input.metadata().number());
        }
        manifestLock.lock();
        try {
            commit(outputs, removed, 0, opened);
            publish(
                    () -> {
                        tables.removeAll(inputs);
                        tables.addAll(opened);
                    });
        } finally {
            manifestLock.unlock();
        }
        for (SSTable input : inputs) {
            input.markObsolete();
            input.release();
        }
    }

    /**
     * Puts a table into level 0, where tables may overlap, as it is: it is then in nobody's way.
     *
     * @throws dev.quorate.storage.CorruptionException if it cannot be opened again
     */
    void moveToLevel0(SSTable table) throws IOException {
        List<TableMetadata> moved = List.of(table.metadata().atLevel(0));
        List<SSTable> opened = open(moved);
        manifestLock.lock();
        try {
            commit(moved, List.of(table.metadata().number()), 0, opened);
            publish(
                    () -> {
                        tables.remove(table);
                        tables.addAll(opened);
                    });
        } finally {
            manifestLock.unlock();
        }
        // Not obsolete: the file stays, and only this way to it goes with its last reader.
        table.release();
    }

    private List<SSTable> open(List<TableMetadata> added) {
        List<SSTable> opened = new ArrayList<>();
        try {
            for (TableMetadata table : added) {
                opened.add(SSTable.open(files, directory, table));
            }
            return opened;
        } catch (RuntimeException e) {
            opened.forEach(SSTable::release);
            throw e;
        }
    }

    private void commit(
            List<TableMetadata> added, List<Long> removed, long oldestSegment, List<SSTable> opened)
            throws IOException {
        VersionEdit edit =
                new VersionEdit(added, removed, oldestSegment, fileNumbers.get(), newest.get());
        try {
            versions.commit(edit, fileNumbers::getAndIncrement);
        } catch (IOException | RuntimeException e) {
            opened.forEach(SSTable::release);
            throw e;
        }
    }

    /** The tables of the newest version. */
    List<TableMetadata> tables() {
        manifestLock.lock();
        try {
            return versions.version().tables();
        } finally {
            manifestLock.unlock();
        }
    }

    /** The open table of a number, likewise; null if there is none. */
    @Nullable SSTable openTable(long number) {
        synchronized (publishLock) {
            for (SSTable table : tables) {
                if (table.metadata().number() == number) {
                    return table;
                }
            }
            return null;
        }
    }

    /** The open tables of the given numbers; they stay open until a compaction removes them. */
    List<SSTable> openTables(List<TableMetadata> wanted) {
        synchronized (publishLock) {
            List<SSTable> found = new ArrayList<>();
            for (TableMetadata one : wanted) {
                for (SSTable table : tables) {
                    if (table.metadata().number() == one.number()) {
                        found.add(table);
                    }
                }
            }
            return found;
        }
    }

    /** Ends reading: what is open closes with its last reader. */
    void close() throws IOException {
        SuperVersion last;
        List<SSTable> owned;
        synchronized (publishLock) {
            last = current;
            current = null;
            owned = List.copyOf(tables);
            tables.clear();
        }
        if (last != null) {
            last.references().retire();
        }
        owned.forEach(SSTable::release);
        manifestLock.lock();
        try {
            versions.close();
        } finally {
            manifestLock.unlock();
        }
    }
}
