package dev.quorate.storage.inspect;

import dev.quorate.storage.CorruptionException;
import dev.quorate.storage.StorageException;
import dev.quorate.storage.format.FileNames;
import dev.quorate.storage.io.FileLockedException;
import dev.quorate.storage.io.StorageFiles;
import dev.quorate.storage.manifest.Version;
import dev.quorate.storage.manifest.VersionSet;
import dev.quorate.storage.sstable.TableInspection;
import dev.quorate.storage.sstable.TableMetadata;
import dev.quorate.storage.wal.LogInspection;
import dev.quorate.storage.wal.LogRecovery;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Checks every file of a store that is not open: the manifest, every block of every table, every
 * record of the log. Goes on behind a damage, so that all of them are named.
 *
 * <p>The limit is that of recovery: in the last group of the log, damage looks like a write that a
 * crash cut short. It is told as torn bytes.
 */
public final class Verification {

    private final StorageFiles files;
    private final Path directory;
    private final Set<Long> tables = new TreeSet<>();
    private final Set<Long> segments = new TreeSet<>();
    private final List<CorruptionException> damages = new ArrayList<>();
    private int tablesRead;
    private int segmentsRead;
    private long logEntries;
    private long tornBytes;

    private Verification(StorageFiles files, Path directory) {
        this.files = files;
        this.directory = directory;
    }

    /**
     * What was found.
     *
     * @param damages each with its file and offset; empty if all is well
     * @param tornBytes at the ends of log and manifest, from writes that a crash cut short
     */
    public record Report(
            List<CorruptionException> damages,
            int tables,
            int segments,
            long logEntries,
            long tornBytes) {
        public Report {
            damages = List.copyOf(damages);
        }
    }

    /**
     * Checks a directory. Changes nothing in it.
     *
     * @throws StorageException.InUse if a store has it open
     * @throws IOException if a file cannot be read, or there is no store
     */
    public static Report of(StorageFiles files, Path directory) throws IOException {
        Path lockFile = directory.resolve(FileNames.LOCK);
        if (!files.exists(lockFile)) {
            // A checkpoint has none before it is first opened. To make one would be a change.
            return new Verification(files, directory).run();
        }
        AutoCloseable lock;
        try {
            lock = files.lock(lockFile);
        } catch (FileLockedException e) {
            throw new StorageException.InUse(directory + " is open: stop the node first");
        }
        try {
            return new Verification(files, directory).run();
        } finally {
            release(lock);
        }
    }

    private static void release(AutoCloseable lock) throws IOException {
        try {
            lock.close();
        } catch (IOException | RuntimeException e) {
            throw e;
        } catch (Exception e) {
            throw new IOException(e);
        }
    }

    private Report run() throws IOException {
        for (String file : files.list(directory)) {
            FileNames.Name name = FileNames.parse(file);
            switch (name.kind()) {
                case TABLE -> tables.add(name.number());
                case LOG -> segments.add(name.number());
                case MANIFEST, LOCK, CURRENT, CURRENT_NEXT, FOREIGN -> {}
            }
        }
        @Nullable Version version = version();
        if (version == null) {
            checkWithoutVersion();
        } else {
            checkTables(version);
            checkLog(version.oldestSegment());
        }
        return new Report(damages, tablesRead, segmentsRead, logEntries, tornBytes);
    }

    /** The version, or null if it cannot be known. */
    private @Nullable Version version() throws IOException {
        try {
            VersionSet versions = VersionSet.open(files, directory);
            if (versions.isFresh()) {
                if (tables.isEmpty() && segments.isEmpty()) {
                    throw new IOException(directory + " holds no store");
                }
                damage(new CorruptionException(FileNames.CURRENT, 0, "it is missing"));
                return null;
            }
            tornBytes += versions.tornBytes();
            return versions.version();
        } catch (CorruptionException e) {
            damage(e);
            return null;
        }
    }

    private void damage(CorruptionException damage) {
        damages.add(damage);
    }

    /** Which tables and segments are needed is not known: each is checked against itself. */
    private void checkWithoutVersion() throws IOException {
        for (long number : tables) {
            tablesRead++;
            try {
                TableMetadata own = TableInspection.metadata(files, directory, number);
                damages.addAll(TableInspection.damages(files, directory, own));
            } catch (CorruptionException e) {
                damage(e);
            }
        }
        for (long number : segments) {
            if (LogRecovery.holdsRecords(files, directory, number)) {
                readSegment(number);
            }
        }
    }

    private void checkTables(Version version) {
        List<TableMetadata> wanted = new ArrayList<>(version.tables());
        wanted.sort(Comparator.comparingLong(TableMetadata::number));
        for (TableMetadata table : wanted) {
            tablesRead++;
            damages.addAll(TableInspection.damages(files, directory, table));
        }
    }

    private void checkLog(long oldest) throws IOException {
        Set<Long> unread = new TreeSet<>(segments);
        unread.removeIf(number -> number < oldest);
        long next = oldest;
        long last = oldest;
        boolean broken = false;
        while (next != 0) {
            last = next;
            if (!unread.remove(next)) {
                String name = FileNames.log(next);
                damage(new CorruptionException(name, 0, "the log goes on here; it is missing"));
                broken = true;
                break;
            }
            LogInspection.@Nullable End end = readSegment(next);
            broken = end == null;
            next = end == null ? 0 : end.next();
        }
        for (long number : unread) {
            if (!LogRecovery.holdsRecords(files, directory, number)) {
                continue;
            }
            if (broken) {
                readSegment(number);
            } else {
                String why = "it holds records, but the log ends before it, in ";
                String name = FileNames.log(number);
                damage(new CorruptionException(name, 0, why + FileNames.log(last)));
            }
        }
    }

    /** How the segment ends; null if it is damaged. */
    private LogInspection.@Nullable End readSegment(long number) throws IOException {
        segmentsRead++;
        try {
            LogInspection.End end =
                    LogInspection.read(files, directory, number, entry -> logEntries++);
            tornBytes += end.tornBytes();
            return end;
        } catch (CorruptionException e) {
            damage(e);
            return null;
        }
    }
}
