package dev.quorate.storage.wal;

import dev.quorate.storage.Entry;
import dev.quorate.storage.format.FileNames;
import dev.quorate.storage.io.MappedFile;
import dev.quorate.storage.io.StorageFiles;
import dev.quorate.storage.io.WritableFile;
import dev.quorate.storage.wal.SegmentReader.Salvaged;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Replaces a damaged segment by one with the records that can be read of it, so that the log can be
 * read to its end. The damaged file stays beside it, under another name. A crash at any moment
 * leaves the one or the other.
 */
public final class LogSalvage {

    /** Behind the name of a damaged segment. */
    public static final String DAMAGED = ".damaged";

    private static final String UNFINISHED = ".salvage";

    private final StorageFiles files;
    private final Path directory;

    public LogSalvage(StorageFiles files, Path directory) {
        this.files = files;
        this.directory = directory;
    }

    /**
     * What became of a segment.
     *
     * @param entries that are kept
     * @param leftOut ranges of its bytes, each in one phrase, in which no record can be read
     * @param next the segment that follows; 0 if none does
     */
    public record Result(long entries, List<String> leftOut, long next) {
        public Result {
            leftOut = List.copyOf(leftOut);
        }
    }

    /**
     * Replaces a segment.
     *
     * @param following the segment that follows where this one's own seal cannot be read; 0 for
     *     none
     */
    public Result replace(long number, long following) throws IOException {
        Path path = directory.resolve(FileNames.log(number));
        List<Entry> entries = new ArrayList<>();
        Salvaged salvaged;
        try (MappedFile file = files.map(path)) {
            salvaged =
                    new SegmentReader(file.bytes(), FileNames.log(number), number)
                            .salvage(entries::add);
        }
        long next = salvaged.sealed() ? salvaged.next() : following;
        Path kept = directory.resolve(FileNames.log(number) + DAMAGED);
        if (!files.exists(kept)) {
            files.link(path, kept);
        }
        write(number, entries, salvaged.sealed() || next != 0, next);
        return new Result(entries.size(), salvaged.leftOut(), next);
    }

    /** Puts an empty segment in the place of one that is gone. */
    public void replaceMissing(long number, long following) throws IOException {
        write(number, List.of(), following != 0, following);
    }

    private void write(long number, List<Entry> entries, boolean isSealed, long next)
            throws IOException {
        long bytes = WriteAheadLog.segmentBytesFor(0);
        for (Entry entry : entries) {
            bytes += LogFormat.recordBytes(entry);
        }
        Path made = directory.resolve(FileNames.log(number) + UNFINISHED);
        if (files.exists(made)) {
            files.delete(made); // left by a run that ended meanwhile
        }
        LogSegment segment = LogSegment.create(files, directory, made, number, bytes);
        try (WritableFile file = segment.file()) {
            long at = LogFormat.HEADER_BYTES;
            int group = 1;
            for (Entry entry : entries) {
                ByteBuffer record = ByteBuffer.allocate(LogFormat.recordBytes(entry));
                LogFormat.putEntry(
                        record, at, segment.mark(), group, LogFormat.LAST_IN_GROUP, entry);
                file.write(record.flip(), at);
                at += record.limit();
                group++;
            }
            if (isSealed) {
                ByteBuffer seal = ByteBuffer.allocate(LogFormat.SEAL_BYTES);
                LogFormat.putSeal(seal, at, segment.mark(), group, next);
                file.write(seal.flip(), at);
            }
            file.force();
        }
        files.rename(made, directory.resolve(FileNames.log(number)));
        files.syncDirectory(directory);
    }
}
