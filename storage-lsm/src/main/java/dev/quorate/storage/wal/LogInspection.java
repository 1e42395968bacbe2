package dev.quorate.storage.wal;

import dev.quorate.storage.Entry;
import dev.quorate.storage.format.FileNames;
import dev.quorate.storage.io.MappedFile;
import dev.quorate.storage.io.StorageFiles;
import java.io.IOException;
import java.nio.file.Path;
import java.util.function.Consumer;

/** Looks at a log segment from outside of a store. Changes nothing. */
public final class LogInspection {

    private LogInspection() {}

    /**
     * How a segment ends.
     *
     * @param next the segment that its seal names; 0 if it names none, or there is no seal
     * @param tornBytes of a write that a crash cut short: not damage
     */
    public record End(boolean sealed, long next, long tornBytes) {}

    /**
     * Gives every entry of one segment to {@code entries}, as recovery would.
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
