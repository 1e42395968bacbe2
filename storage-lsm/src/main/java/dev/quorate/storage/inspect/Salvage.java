package dev.quorate.storage.inspect;

import dev.quorate.storage.CorruptionException;
import dev.quorate.storage.StorageException;
import dev.quorate.storage.format.FileNames;
import dev.quorate.storage.io.StorageFiles;
import dev.quorate.storage.manifest.VersionSet;
import dev.quorate.storage.wal.LogRecovery;
import dev.quorate.storage.wal.LogSalvage;
import dev.quorate.storage.wal.SegmentReader;
import java.io.IOException;
import java.nio.file.Path;
import java.util.NavigableSet;
import java.util.TreeSet;
import java.util.function.Consumer;

/**
 * Makes a store with a damaged or incomplete log openable: retains every readable record and
 * reports the lost ones. Lost records may have been acknowledged, so the caller must ensure that
 * the store does not vote before it has been compared with other replicas.
 *
 * <p>It repairs the log alone. Damaged tables do not prevent a store from opening. A store without
 * a valid manifest is rejected: nothing else identifies the live tables, and a table that a
 * compaction has replaced may contain entries that were deleted since.
 */
public final class Salvage {

    private final StorageFiles files;
    private final Path directory;
    private final Note beforeTheFirst;
    private final Consumer<String> report;
    private final LogSalvage log;
    private int replaced;

    private Salvage(
            StorageFiles files, Path directory, Note beforeTheFirst, Consumer<String> report) {
        this.files = files;
        this.directory = directory;
        this.beforeTheFirst = beforeTheFirst;
        this.report = report;
        this.log = new LogSalvage(files, directory);
    }

    /** An action that runs before the first file is replaced. */
    @FunctionalInterface
    public interface Note {
        void write() throws IOException;
    }

    /**
     * Repairs the log of a store that is not open.
     *
     * @param beforeTheFirst records durably that the store may lack writes; runs before the first
     *     replacement
     * @param report receives one sentence for each retained or lost part
     * @return the number of replaced segments; 0 if the log is not damaged
     * @throws StorageException.InUse if the directory is open in a store
     * @throws NoStoreException if the directory contains no store
     * @throws CorruptionException if the manifest is damaged
     */
    public static int of(
            StorageFiles files, Path directory, Note beforeTheFirst, Consumer<String> report)
            throws IOException {
        try (StoppedStore stopped = StoppedStore.lock(files, directory)) {
            return new Salvage(files, stopped.directory(), beforeTheFirst, report).run();
        }
    }

    private int run() throws IOException {
        VersionSet versions = VersionSet.open(files, directory);
        if (versions.isFresh()) {
            throw new NoStoreException(directory + " holds no store with a manifest");
        }
        long next = versions.version().oldestSegment();
        NavigableSet<Long> segments =
                new TreeSet<>(FileNames.numbers(files.list(directory), FileNames.Kind.LOG));
        segments.headSet(next).clear();
        while (next != 0) {
            next =
                    segments.contains(next)
                            ? repair(next, segments)
                            : replaceMissing(next, segments);
        }
        return replaced;
    }

    /** Repairs a segment if it is damaged; returns the number of the next. */
    private long repair(long number, NavigableSet<Long> segments) throws IOException {
        try {
            SegmentReader.End end = LogRecovery.read(files, directory, number, entry -> {});
            long following = following(number, segments);
            if (end.sealed() || following == 0) {
                return end.next();
            }
            // Its end is missing: it looks torn, but later segments exist.
        } catch (CorruptionException damaged) {
            report.accept(damaged.getMessage() + ".");
        }
        beforeReplacing();
        LogSalvage.Result result = log.replace(number, following(number, segments));
        String name = FileNames.log(number);
        report.accept(
                "%s: %,d entries are kept; the damaged file is now %s%s."
                        .formatted(name, result.entries(), name, LogSalvage.DAMAGED));
        for (String range : result.lost()) {
            report.accept(name + ": left out: " + range + ".");
        }
        return result.next();
    }

    private void beforeReplacing() throws IOException {
        if (replaced++ == 0) {
            beforeTheFirst.write();
        }
    }

    private long replaceMissing(long number, NavigableSet<Long> segments) throws IOException {
        long following = following(number, segments);
        beforeReplacing();
        log.replaceMissing(number, following);
        report.accept(
                FileNames.log(number) + ": the file is gone, and all that it held is left out.");
        return following;
    }

    /** The next segment that contains records; 0 if none. */
    private long following(long number, NavigableSet<Long> segments) throws IOException {
        for (long later : segments.tailSet(number, false)) {
            if (LogRecovery.containsRecords(files, directory, later)) {
                return later;
            }
        }
        return 0;
    }
}
