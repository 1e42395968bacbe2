package dev.quorate.storage.engine;

import dev.quorate.storage.CorruptionException;
import dev.quorate.storage.Entry;
import dev.quorate.storage.Timestamp;
import dev.quorate.storage.format.FileNames;
import dev.quorate.storage.io.StorageFiles;
import dev.quorate.storage.io.WritableFile;
import dev.quorate.storage.manifest.StoreVersion;
import dev.quorate.storage.manifest.VersionSet;
import dev.quorate.storage.memtable.MemtableMemory;
import dev.quorate.storage.sstable.SSTable;
import dev.quorate.storage.sstable.TableMetadata;
import dev.quorate.storage.wal.LogRecovery;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Reads a directory: the version, its tables, and the log. Writes nothing, so that a store opens on
 * a full disk, and deletes nothing before everything has been verified.
 */
final class Opening {

    private final StorageFiles files;
    private final Path directory;
    private final MemtableMemory memory;
    private final List<FileNames.Name> names = new ArrayList<>();
    private final List<SSTable> tables = new ArrayList<>();
    private final List<SegmentMemtable> memtables = new ArrayList<>();
    private final List<Long> idleSegments = new ArrayList<>();
    private final List<Long> misnamedSegments = new ArrayList<>();
    private Timestamp newest = Timestamp.ZERO;
    private long entries;
    private long tornBytes;
    private long lastSegment;

    private Opening(StorageFiles files, Path directory, MemtableMemory memory) {
        this.files = files;
        this.directory = directory;
        this.memory = memory;
    }

    /**
     * The contents of the directory.
     *
     * @param memory the memory for memtables
     * @param memtables the entries of the log, one memtable for each segment, oldest first
     * @param idleSegments segments that are no longer needed
     * @param nextFileNumber larger than the number of every file
     * @param newest a timestamp at or after every one in the store
     */
    record Found(
            VersionSet versions,
            MemtableMemory memory,
            List<SSTable> tables,
            List<SegmentMemtable> memtables,
            List<Long> idleSegments,
            long nextFileNumber,
            Timestamp newest,
            long entries,
            long tornBytes) {

        /** One line for operators. */
        String summary(long millis) {
            return "%,d %s, %,d %s replayed from %d %s, %,d %s of torn tail dropped, in %,d ms"
                    .formatted(
                            tables.size(),
                            plural(tables.size(), "table", "tables"),
                            entries,
                            plural(entries, "entry", "entries"),
                            memtables.size(),
                            plural(memtables.size(), "log segment", "log segments"),
                            tornBytes,
                            plural(tornBytes, "byte", "bytes"),
                            millis);
        }

        private static String plural(long count, String one, String many) {
            return count == 1 ? one : many;
        }
    }

    /**
     * Reads {@code directory}, whose lock is held.
     *
     * @throws CorruptionException if anything that was durable is missing or damaged
     */
    static Found read(StorageFiles files, Path directory, MemtableMemory memory)
            throws IOException {
        Opening opening = new Opening(files, directory, memory);
        boolean opened = false;
        try {
            Found found = opening.read();
            opened = true;
            return found;
        } finally {
            if (!opened) {
                opening.tables.forEach(SSTable::release);
                opening.memtables.forEach(SegmentMemtable::release);
            }
        }
    }

    private Found read() throws IOException {
        for (String name : files.list(directory)) {
            names.add(FileNames.parse(name));
        }
        VersionSet versions = VersionSet.open(files, directory);
        StoreVersion version = versions.version();
        newest = version.newest();
        if (versions.isFresh()) {
            requireNothingLost();
            addIdle(numbers(FileNames.Kind.LOG));
        } else {
            openTables(version);
            replay(version.oldestSegment());
            makeDurable(versions.manifestNumber());
        }
        deleteOrphans(version, versions.manifestNumber());
        return new Found(
                versions,
                memory,
                tables,
                memtables,
                idleSegments,
                nextFileNumber(version),
                newest,
                entries,
                tornBytes + versions.tornBytes());
    }

    private List<Long> numbers(FileNames.Kind kind) {
        return names.stream().filter(n -> n.kind() == kind).map(FileNames.Name::number).toList();
    }

    /** Without CURRENT the store must be new, or its first opening was interrupted. */
    private void requireNothingLost() throws IOException {
        String missing = "it is missing, though the directory contains ";
        if (!numbers(FileNames.Kind.TABLE).isEmpty()) {
            throw new CorruptionException(FileNames.CURRENT, 0, missing + "tables");
        }
        for (long segment : numbers(FileNames.Kind.LOG)) {
            if (LogRecovery.containsRecords(files, directory, segment)) {
                throw new CorruptionException(
                        FileNames.CURRENT, 0, missing + "records in " + FileNames.log(segment));
            }
        }
    }

    private void openTables(StoreVersion version) {
        for (TableMetadata table : version.tables()) {
            tables.add(SSTable.open(files, directory, table));
            advance(table.newest());
        }
    }

    private void advance(Timestamp timestamp) {
        if (timestamp.isAfter(newest)) {
            newest = timestamp;
        }
    }

    private void replay(long oldestSegment) throws IOException {
        List<Long> segments = numbers(FileNames.Kind.LOG);
        LogRecovery log = new LogRecovery(files, directory, segments, oldestSegment);
        while (log.hasNext()) {
            SegmentMemtable memtable =
                    SegmentMemtable.after(memtables.isEmpty() ? null : memtables.getLast(), memory);
            memtables.add(memtable);
            memtable.segments().add(log.nextNumber());
            log.readNext(entry -> replay(entry, memtable));
        }
        tornBytes = log.tornBytes();
        Set<Long> idle = new HashSet<>(segments);
        log.segmentsRead().forEach(idle::remove);
        addIdle(idle.stream().sorted().toList());
        lastSegment = log.segmentsRead().getLast();
    }

    /**
     * Segments whose header has another number are deleted, not recycled: after an interrupted
     * rename some file systems show one file under both names, and a segment in use would be
     * overwritten through the other name.
     */
    private void addIdle(List<Long> segments) throws IOException {
        for (long segment : segments) {
            boolean own = LogRecovery.hasOwnHeader(files, directory, segment);
            (own ? idleSegments : misnamedSegments).add(segment);
        }
    }

    /**
     * Forces data that a killed process may have left only in the page cache: its last writes must
     * be durable before a reader sees them, and its last commit must be durable before files that
     * only the previous version needs are deleted.
     */
    private void makeDurable(long manifest) throws IOException {
        force(FileNames.log(lastSegment));
        force(FileNames.manifest(manifest));
        files.syncDirectory(directory);
    }

    private void force(String name) throws IOException {
        try (WritableFile file = files.open(directory.resolve(name))) {
            file.force();
        }
    }

    private void replay(Entry entry, SegmentMemtable memtable) {
        memtable.put(entry);
        advance(entry.timestamp().ceiling());
        entries++;
    }

    private long nextFileNumber(StoreVersion version) {
        long next = version.nextFileNumber();
        for (FileNames.Name name : names) {
            next = Math.max(next, name.number() + 1);
        }
        return next;
    }

    private void deleteOrphans(StoreVersion version, long manifest) throws IOException {
        Set<Long> live =
                version.tables().stream().map(TableMetadata::number).collect(Collectors.toSet());
        for (FileNames.Name name : names) {
            switch (name.kind()) {
                case TABLE -> {
                    if (!live.contains(name.number())) {
                        delete(FileNames.table(name.number()));
                    }
                }
                case MANIFEST -> {
                    if (name.number() != manifest) {
                        delete(FileNames.manifest(name.number()));
                    }
                }
                case CURRENT_NEXT -> delete(FileNames.CURRENT_NEXT);
                case LOG, LOCK, CURRENT, FOREIGN -> {}
            }
        }
        for (long segment : misnamedSegments) {
            delete(FileNames.log(segment));
        }
    }

    private void delete(String name) throws IOException {
        files.delete(directory.resolve(name));
    }
}
