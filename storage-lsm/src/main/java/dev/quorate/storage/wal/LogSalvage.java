package dev.quorate.storage.wal;

import dev.quorate.storage.Entry;
import dev.quorate.storage.format.FileNames;
import dev.quorate.storage.io.StorageFiles;
import dev.quorate.storage.io.WritableFile;
import dev.quorate.storage.wal.SegmentReader.Salvaged;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Replaces a damaged segment by one with its readable records, so that the log can be replayed.
 * Retains the damaged file under another name. A crash leaves either segment in place.
 */
public record LogSalvage(StorageFiles files, Path directory) {

    /** The suffix of the name of a damaged segment. */
    public static final String DAMAGED = ".damaged";

    /**
     * The result for one segment.
     *
     * @param entries the number of retained entries
     * @param lost ranges of bytes without a readable record, each as a phrase
     * @param next the next segment; 0 if none
     */
    public record Result(long entries, List<String> lost, long next) {
        public Result {
            lost = List.copyOf(lost);
        }
    }

    /**
     * Replaces a segment.
     *
     * @param following the next segment if this one's seal is unreadable; 0 if none
     */
    public Result replace(long number, long following) throws IOException {
        Path path = directory.resolve(FileNames.log(number));
        List<Entry> entries = new ArrayList<>();
        Salvaged salvaged =
                LogRecovery.with(files, directory, number, all -> all.salvage(entries::add));
        long next = salvaged.sealed() ? salvaged.next() : following;
        Path damaged = directory.resolve(FileNames.log(number) + DAMAGED);
        if (!files.exists(damaged)) {
            files.link(path, damaged);
        }
        write(number, entries, salvaged.sealed() || next != 0, next);
        return new Result(entries.size(), salvaged.lost(), next);
    }

    /** Replaces a missing segment by an empty one. */
    public void replaceMissing(long number, long following) throws IOException {
        write(number, List.of(), following != 0, following);
    }

    private void write(long number, List<Entry> entries, boolean isSealed, long next)
            throws IOException {
        long bytes = WriteAheadLog.segmentBytesFor(0);
        for (Entry entry : entries) {
            bytes += LogFormat.recordBytes(entry);
        }
        Path made = directory.resolve(FileNames.log(number) + ".salvage");
        if (files.exists(made)) {
            files.delete(made); // left by an interrupted run
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
