package dev.quorate.storage.wal;

import dev.quorate.storage.Entry;
import dev.quorate.storage.format.FileNames;
import dev.quorate.storage.io.MappedFile;
import dev.quorate.storage.io.StorageFiles;
import java.io.IOException;
import java.nio.file.Path;
import java.util.function.Consumer;

/** Reads a log segment outside an open store, without changes. */
public final class LogInspection {

    private LogInspection() {}

    /**
     * The end of a segment.
     *
     * @param next the next segment according to the seal; 0 if the seal names none or is missing
     * @param tornBytes bytes of a write torn by a crash, which is not damage
     */
    public record End(boolean sealed, long next, long tornBytes) {}

    /**
     * Passes every entry of one segment to {@code entries}, as recovery does.
     *
     * @throws dev.quorate.storage.CorruptionException at the first damage
     */
    public static End read(StorageFiles files, Path directory, long number, Consumer<Entry> entries)
            throws IOException {
        String name = FileNames.log(number);
        try (MappedFile file = files.map(directory.resolve(name))) {
            return switch (new SegmentReader(file.bytes(), name, number).read(entries)) {
                case SegmentReader.End.Sealed(long next) -> new End(true, next, 0);
                case SegmentReader.End.Open(long torn) -> new End(false, 0, torn);
            };
        }
    }
}
