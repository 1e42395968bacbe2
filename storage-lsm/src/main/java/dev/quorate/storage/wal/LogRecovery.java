package dev.quorate.storage.wal;

import dev.quorate.storage.CorruptionException;
import dev.quorate.storage.Entry;
import dev.quorate.storage.format.FileNames;
import dev.quorate.storage.io.MappedFile;
import dev.quorate.storage.io.StorageFiles;
import dev.quorate.storage.wal.SegmentReader.End;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * Replays the log, segment by segment, from the oldest one with entries that are not in tables.
 *
 * <p>The segments form a chain: each seal names the next segment, whose header was durable before
 * the seal was written. So a missing or truncated segment is detected. Segments before the oldest
 * are spare. A later segment outside the chain was prepared but never used; if it contains records,
 * the chain is broken.
 */
public final class LogRecovery {

    private final StorageFiles files;
    private final Path directory;
    private final Set<Long> unread = new TreeSet<>();
    private final List<Long> done = new ArrayList<>();
    private long next;
    private long tornBytes;

    /**
     * @param segments the numbers of all segments in the directory
     * @param oldest the oldest segment to replay
     */
    public LogRecovery(StorageFiles files, Path directory, List<Long> segments, long oldest) {
        this.files = files;
        this.directory = directory;
        for (long segment : segments) {
            if (segment >= oldest) {
                unread.add(segment);
            }
        }
        next = oldest;
    }

    /** Whether any segment remains. */
    public boolean hasNext() {
        return next != 0;
    }

    /** The number of the segment that {@link #readNext} reads. */
    public long nextNumber() {
        return next;
    }

    /**
     * Passes every entry of the next segment to {@code entries}.
     *
     * @throws CorruptionException if anything durable is missing or damaged
     */
    public void readNext(Consumer<Entry> entries) throws IOException {
        long number = next;
        if (!unread.remove(number)) {
            throw new CorruptionException(
                    FileNames.log(number), 0, "the log continues here, but the file is gone");
        }
        End end = read(files, directory, number, entries);
        tornBytes += end.tornBytes();
        next = end.next();
        done.add(number);
        if (next == 0) {
            checkUnused();
        }
    }

    private void checkUnused() throws IOException {
        for (long number : unread) {
            if (containsRecords(files, directory, number)) {
                throw new CorruptionException(
                        FileNames.log(number),
                        0,
                        "it holds records, but the log ends before it, in "
                                + FileNames.log(done.getLast()));
            }
        }
    }

    /** The segments read so far, in the order of writing. */
    public List<Long> segmentsRead() {
        return List.copyOf(done);
    }

    /** Bytes of torn writes that were dropped. */
    public long tornBytes() {
        return tornBytes;
    }

    /**
     * Passes every entry of one segment to {@code entries}.
     *
     * @throws CorruptionException at the first damage
     */
    public static End read(StorageFiles files, Path directory, long number, Consumer<Entry> entries)
            throws IOException {
        return with(files, directory, number, segment -> segment.read(entries));
    }

    /** Whether a file contains a record of the segment that its name identifies. */
    public static boolean containsRecords(StorageFiles files, Path directory, long number)
            throws IOException {
        return with(files, directory, number, SegmentReader::containsAnyRecord);
    }

    /** Whether a file has the header of the segment that its name identifies. */
    public static boolean hasOwnHeader(StorageFiles files, Path directory, long number)
            throws IOException {
        return with(files, directory, number, SegmentReader::hasOwnHeader);
    }

    /** The result of reading a segment, which is open meanwhile. */
    static <T> T with(
            StorageFiles files, Path directory, long number, Function<SegmentReader, T> read)
            throws IOException {
        String name = FileNames.log(number);
        try (MappedFile file = files.map(directory.resolve(name))) {
            return read.apply(new SegmentReader(file.bytes(), name, number));
        }
    }
}
