package dev.quorate.storage.inspect;

import dev.quorate.storage.CorruptionException;
import dev.quorate.storage.StorageException;
import dev.quorate.storage.format.FileNames;
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
import java.util.function.Consumer;
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
    private final Consumer<StorageException> told;
    private final Set<Long> tables = new TreeSet<>();
    private final Set<Long> segments = new TreeSet<>();
    private long problems;
    private int tablesRead;
    private int segmentsRead;
    private long logEntries;
    private long tornBytes;

    private Verification(StorageFiles files, Path directory, Consumer<StorageException> told) {
        this.files = files;
        this.directory = directory;
        this.told = told;
    }

    /**
     * What was found.
     *
     * @param problems how many were told of; 0 if all is well
     * @param tornBytes at the ends of log and manifest, from writes that a crash cut short
     */
    public record Report(
            long problems, int tables, int segments, long logEntries, long tornBytes) {}

    /**
     * Checks a directory. Changes nothing in it.
     *
     * @param problems told of each damage as it is found, with its file and offset, and of what
     *     cannot be read
     * @throws StorageException.InUse if a store has it open
     * @throws NoStoreException if there is none
     * @throws IOException if the names of its files cannot be read
     */
    public static Report of(StorageFiles files, Path directory, Consumer<StorageException> problems)
            throws IOException {
        try (StoppedStore stopped = StoppedStore.hold(files, directory)) {
            return new Verification(files, stopped.directory(), problems).run();
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
        return new Report(problems, tablesRead, segmentsRead, logEntries, tornBytes);
    }

    private interface Check<T> {
        T run() throws IOException;
    }

    /** What a check gives, or null if it found a problem, which is told. */
    private <T> @Nullable T attempt(String file, Check<T> check) {
        try {
            return check.run();
        } catch (StorageException e) {
            tell(e);
        } catch (IOException | InternalError e) {
            // The latter is how the JVM says that a page of a mapped file cannot be read.
            tell(new StorageException.Io(file + " cannot be read: " + e.getMessage(), e));
        }
        return null;
    }

    private void tell(StorageException problem) {
        problems++;
        told.accept(problem);
    }

    /** The version, or null if it cannot be known. */
    private @Nullable Version version() throws IOException {
        @Nullable VersionSet versions =
                attempt(
                        FileNames.CURRENT + " or its manifest",
                        () -> VersionSet.open(files, directory));
        if (versions == null) {
            return null;
        }
        if (versions.isFresh()) {
            if (tables.isEmpty() && segments.isEmpty()) {
                throw new NoStoreException(directory + " holds no store");
            }
            tell(new CorruptionException(FileNames.CURRENT, 0, "it is missing"));
            return null;
        }
        tornBytes += versions.tornBytes();
        return versions.version();
    }

    /** Which tables and segments are needed is not known: each is checked against itself. */
    private void checkWithoutVersion() {
        for (long number : tables) {
            TableMetadata own =
                    attempt(
                            FileNames.table(number),
                            () -> TableInspection.metadata(files, directory, number));
            tablesRead++;
            if (own != null) {
                TableInspection.inspect(files, directory, own, this::tell);
            }
        }
        for (long number : segments) {
            if (holdsRecords(number)) {
                readSegment(number);
            }
        }
    }

    private boolean holdsRecords(long number) {
        Boolean holds =
                attempt(
                        FileNames.log(number),
                        () -> LogRecovery.holdsRecords(files, directory, number));
        return holds != null && holds;
    }

    private void checkTables(Version version) {
        List<TableMetadata> wanted = new ArrayList<>(version.tables());
        wanted.sort(Comparator.comparingLong(TableMetadata::number));
        for (TableMetadata table : wanted) {
            tablesRead++;
            TableInspection.inspect(files, directory, table, this::tell);
        }
    }

    private void checkLog(long oldest) {
        Set<Long> unread = new TreeSet<>(segments);
        unread.removeIf(number -> number < oldest);
        long next = oldest;
        long last = oldest;
        boolean broken = false;
        while (next != 0) {
            last = next;
            if (!unread.remove(next)) {
                String name = FileNames.log(next);
                tell(new CorruptionException(name, 0, "the log goes on here; it is missing"));
                broken = true;
                break;
            }
            LogInspection.@Nullable End end = readSegment(next);
            broken = end == null;
            next = end == null ? 0 : end.next();
        }
        for (long number : unread) {
            if (!holdsRecords(number)) {
                continue;
            }
            if (broken) {
                readSegment(number);
            } else {
                String why = "it holds records, but the log ends before it, in ";
                String name = FileNames.log(number);
                tell(new CorruptionException(name, 0, why + FileNames.log(last)));
            }
        }
    }

    /** How the segment ends; null if it is damaged. */
    private LogInspection.@Nullable End readSegment(long number) {
        segmentsRead++;
        LogInspection.@Nullable End end =
                attempt(
                        FileNames.log(number),
                        () -> LogInspection.read(files, directory, number, entry -> logEntries++));
        tornBytes += end == null ? 0 : end.tornBytes();
        return end;
    }
}
