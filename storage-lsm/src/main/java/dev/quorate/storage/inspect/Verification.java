package dev.quorate.storage.inspect;

import dev.quorate.storage.CorruptionException;
import dev.quorate.storage.StorageException;
import dev.quorate.storage.format.FileNames;
import dev.quorate.storage.io.StorageFiles;
import dev.quorate.storage.manifest.StoreVersion;
import dev.quorate.storage.manifest.VersionSet;
import dev.quorate.storage.sstable.TableInspection;
import dev.quorate.storage.sstable.TableMetadata;
import dev.quorate.storage.wal.LogRecovery;
import dev.quorate.storage.wal.SegmentReader;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Verifies every file of a store that is not open: the manifest, every block of every table, every
 * record of the log. Continues after damage, so that all damage is reported.
 *
 * <p>As in recovery, damage in the last group of the log cannot be distinguished from a write torn
 * by a crash. It is reported as torn bytes.
 */
public final class Verification {

    private final StorageFiles files;
    private final Path directory;
    private final Consumer<StorageException> listener;
    private final LongConsumer read;
    private final Set<Long> tables = new TreeSet<>();
    private final Set<Long> segments = new TreeSet<>();
    private long problems;
    private int tablesRead;
    private int segmentsRead;
    private long logEntries;
    private long tornBytes;

    private Verification(
            StorageFiles files,
            Path directory,
            Consumer<StorageException> listener,
            LongConsumer read) {
        this.files = files;
        this.directory = directory;
        this.listener = listener;
        this.read = read;
    }

    /**
     * The result of a verification.
     *
     * @param problems the number of reported problems; 0 if the store is intact
     * @param tornBytes bytes of writes torn by a crash, at the ends of log and manifest
     */
    public record Report(
            long problems, int tables, int segments, long logEntries, long tornBytes) {}

    /**
     * Verifies a directory without changing it.
     *
     * @param problems receives each damage with its file and offset, and each unreadable file
     * @throws StorageException.InUse if the directory is open in a store
     * @throws NoStoreException if the directory contains no store
     * @throws IOException if the directory cannot be listed
     */
    public static Report of(StorageFiles files, Path directory, Consumer<StorageException> problems)
            throws IOException {
        return of(files, directory, problems, _ -> {});
    }

    /**
     * The same.
     *
     * @param read receives the bytes of each table that was read
     */
    public static Report of(
            StorageFiles files,
            Path directory,
            Consumer<StorageException> problems,
            LongConsumer read)
            throws IOException {
        try (StoppedStore stopped = StoppedStore.lock(files, directory)) {
            return new Verification(files, stopped.directory(), problems, read).run();
        }
    }

    private Report run() throws IOException {
        List<String> names = files.list(directory);
        tables.addAll(FileNames.numbers(names, FileNames.Kind.TABLE));
        segments.addAll(FileNames.numbers(names, FileNames.Kind.LOG));
        @Nullable StoreVersion version = version();
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

    /** The result of a check, or null if it failed with a problem, which is reported. */
    private <T> @Nullable T attempt(String file, Check<T> check) {
        try {
            return check.run();
        } catch (StorageException e) {
            report(e);
        } catch (IOException | InternalError e) {
            // The JVM throws an InternalError if a page of a mapped file cannot be read.
            report(new StorageException.Io(file + " cannot be read: " + e.getMessage(), e));
        }
        return null;
    }

    private void report(StorageException problem) {
        problems++;
        listener.accept(problem);
    }

    /** The version, or null if it cannot be read. */
    private @Nullable StoreVersion version() throws IOException {
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
            report(new CorruptionException(FileNames.CURRENT, 0, "it is missing"));
            return null;
        }
        tornBytes += versions.tornBytes();
        return versions.version();
    }

    /** Without a version the live files are unknown: each is verified on its own. */
    private void checkWithoutVersion() {
        for (long number : tables) {
            TableMetadata own =
                    attempt(
                            FileNames.table(number),
                            () -> TableInspection.metadata(files, directory, number));
            tablesRead++;
            if (own != null) {
                TableInspection.inspect(files, directory, own, this::report);
            }
        }
        for (long number : segments) {
            if (containsRecords(number)) {
                readSegment(number);
            }
        }
    }

    private boolean containsRecords(long number) {
        Boolean contains =
                attempt(
                        FileNames.log(number),
                        () -> LogRecovery.containsRecords(files, directory, number));
        return contains != null && contains;
    }

    private void checkTables(StoreVersion version) {
        List<TableMetadata> wanted = new ArrayList<>(version.tables());
        wanted.sort(Comparator.comparingLong(TableMetadata::number));
        for (TableMetadata table : wanted) {
            tablesRead++;
            TableInspection.inspect(files, directory, table, this::report);
            read.accept(table.fileBytes());
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
                report(
                        new CorruptionException(
                                name, 0, "the log continues here; the file is missing"));
                broken = true;
                break;
            }
            SegmentReader.@Nullable End end = readSegment(next);
            broken = end == null;
            next = end == null ? 0 : end.next();
        }
        for (long number : unread) {
            if (!containsRecords(number)) {
                continue;
            }
            if (broken) {
                readSegment(number);
            } else {
                String why = "it holds records, but the log ends before it, in ";
                String name = FileNames.log(number);
                report(new CorruptionException(name, 0, why + FileNames.log(last)));
            }
        }
    }

    /** The end of the segment; null if it is damaged. */
    private SegmentReader.@Nullable End readSegment(long number) {
        segmentsRead++;
        SegmentReader.@Nullable End end =
                attempt(
                        FileNames.log(number),
                        () -> LogRecovery.read(files, directory, number, entry -> logEntries++));
        tornBytes += end == null ? 0 : end.tornBytes();
        return end;
    }
}
