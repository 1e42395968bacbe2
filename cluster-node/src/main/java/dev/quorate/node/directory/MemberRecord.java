package dev.quorate.node.directory;

import static dev.quorate.node.directory.CheckedText.value;

import dev.quorate.storage.CorruptionException;
import dev.quorate.storage.io.StorageFiles;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The file {@code member}: the owner of a data directory, and the standing of its data.
 *
 * <pre>
 * quorate member 3
 * name n1
 * standing whole
 * store 0f1e2d3c4b5a6978
 * checksum 1a2b3c4d
 * </pre>
 *
 * @param store the identity of the store that this belongs to; see {@link StoreMark}
 */
public record MemberRecord(String name, Standing standing, long store) {

    /** The standing of the data, as last recorded. */
    public enum Standing {
        /** The directory was empty, and it is not known yet whether the cluster is new. */
        NEW,
        /** Data was lost, or may have been lost, and is fetched from the other members. */
        REBUILDING,
        /** The data includes every write that this member acknowledged. */
        WHOLE
    }

    private static final String TITLE = "quorate member 3";

    void write(StorageFiles files, Path file) throws IOException {
        CheckedText.write(
                files,
                file,
                TITLE,
                List.of(
                        "name " + name,
                        "standing " + standing.name().toLowerCase(Locale.ROOT),
                        "store %016x".formatted(store)));
    }

    /**
     * Reads the file; null if it does not exist.
     *
     * @throws CorruptionException if it is corrupt
     */
    static @Nullable MemberRecord read(StorageFiles files, Path file) throws IOException {
        if (!files.exists(file)) {
            return null;
        }
        List<String> lines = CheckedText.read(files, file, TITLE);
        return new MemberRecord(
                value(file, lines, 0, "name"),
                standing(file, value(file, lines, 1, "standing")),
                CheckedText.hex(file, value(file, lines, 2, "store")));
    }

    private static Standing standing(Path file, String text) throws IOException {
        for (Standing standing : Standing.values()) {
            if (standing.name().toLowerCase(Locale.ROOT).equals(text)) {
                return standing;
            }
        }
        throw CheckedText.corrupt(file, 0, "expected a standing, got '" + text + "'");
    }
}
