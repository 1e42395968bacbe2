package dev.quorate.storage.inspect;

import dev.quorate.storage.CorruptionException;
import dev.quorate.storage.StorageException;
import dev.quorate.storage.format.FileNames;
import dev.quorate.storage.io.StorageFiles;
import dev.quorate.storage.manifest.VersionSet;
import dev.quorate.storage.wal.LogInspection;
import dev.quorate.storage.wal.LogRecovery;
import dev.quorate.storage.wal.LogSalvage;
import java.io.IOException;
import java.nio.file.Path;
import java.util.NavigableSet;
import java.util.TreeSet;
import java.util.function.Consumer;

/**
 * Makes a store openable whose log is damaged or has lost a segment: keeps every record that can be
 * read, and says what it leaves out. What is left out may have been acknowledged: whoever does this
 * sees to it that the store's answers do not count before they are compared with other copies.
 *
 * <p>It mends the log alone. Damaged tables keep no store from opening. Without its manifest it is
 * not known which tables are live: one that a compaction has replaced may hold what was deleted
 * since, so there a store is refused.
 */
public final class Salvage {

    private final StorageFiles files;
    private final Path directory;
    private final Note beforeTheFirst;
    private final Consumer<String> told;
    private final LogSalvage log;
    private int mended;

    private Salvage(
            StorageFiles files, Path directory, Note beforeTheFirst, Consumer<String> told) {
        this.files = files;
        this.directory = directory;
        this.beforeTheFirst = beforeTheFirst;
        this.told = told;
        this.log = new LogSalvage(files, directory);
    }

    /** What is done before anything is replaced. */
    @FunctionalInterface
    public interface Note {
        void write() throws IOException;
    }

    /**
     * Mends the log of a store that is not open.
     *
     * @param beforeTheFirst what notes durably that the store may lack something
     * @param told what is kept and what is left out, a sentence at a time
     * @return how many segments were replaced; 0 if the log is not damaged
     * @throws StorageException.InUse if a store has it open
     * @throws NoStoreException if there is none
     * @throws CorruptionException if the manifest is damaged
     */
    public static int of(
            StorageFiles files, Path directory, Note beforeTheFirst, Consumer<String> told)
            throws IOException {
        try (StoppedStore stopped = StoppedStore.hold(files, directory)) {
            return new Salvage(files, stopped.directory(), beforeTheFirst, told).run();
        }
    }

    private int run() throws IOException {
        VersionSet versions = VersionSet.open(files, directory);
        if (versions.isFresh()) {
            throw new NoStoreException(directory + " holds no store with a manifest");
        }
        NavigableSet<Long> segments = new TreeSet<>();
        for (String file : files.list(directory)) {
            FileNames.Name name = FileNames.parse(file);
            if (name.kind() == FileNames.Kind.LOG
                    && name.number() >= versions.version().oldestSegment()) {
                segments.add(name.number());
            }
        }
        long next = versions.version().oldestSegment();
        while (next != 0) {
            next = segments.contains(next) ? mend(next, segments) : replaceMissing(next, segments);
        }
        return mended;
    }

    /** Mends a segment if need be, and gives the next. */
    private long mend(long number, NavigableSet<Long> segments) throws IOException {
        try {
            LogInspection.End end = LogInspection.read(files, directory, number, entry -> {});
            long following = following(number, segments);
            if (end.sealed() || following == 0) {
                return end.next();
            }
            // Its end was cut off: it looks torn, but the log went on.
        } catch (CorruptionException damaged) {
            told.accept(damaged.getMessage() + ".");
        }
        beginMending();
        LogSalvage.Result result = log.replace(number, following(number, segments));
        String name = FileNames.log(number);
        told.accept(
                "%s: %,d entries are kept; the damaged file is now %s%s."
                        .formatted(name, result.entries(), name, LogSalvage.DAMAGED));
        for (String range : result.leftOut()) {
            told.accept(name + ": left out: " + range + ".");
        }
        return result.next();
    }

    private void beginMending() throws IOException {
        if (mended++ == 0) {
            beforeTheFirst.write();
        }
    }

    private long replaceMissing(long number, NavigableSet<Long> segments) throws IOException {
        long following = following(number, segments);
        beginMending();
        log.replaceMissing(number, following);
        told.accept(
                FileNames.log(number) + ": the file is gone, and all that it held is left out.");
        return following;
    }

    /** The next segment that holds records; 0 if there is none. */
    private long following(long number, NavigableSet<Long> segments) throws IOException {
        for (long later : segments.tailSet(number, false)) {
            if (LogRecovery.holdsRecords(files, directory, later)) {
                return later;
            }
        }
        return 0;
    }
}
