package dev.quorate.node.directory;

import dev.quorate.storage.CorruptionException;
import dev.quorate.storage.io.StorageFiles;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The file {@code store/identity}: the identity of the store, and the member's generation. It is in
 * the store's own directory, so that it is lost, copied and restored with the store.
 *
 * <pre>
 * quorate store 1
 * member n1
 * store 0f1e2d3c4b5a6978
 * generation 17
 * checksum 1a2b3c4d
 * </pre>
 *
 * @param store random, drawn when the store was created; the file {@code member} contains it too
 * @param generation grows with each start, and while the member votes; 0 in a copy
 */
record StoreMark(String member, long store, long generation) {

    private static final String TITLE = "quorate store 1";

    void write(StorageFiles files, Path file) throws IOException {
        CheckedText.write(
                files,
                file,
                TITLE,
                List.of(
                        "member " + member,
                        "store %016x".formatted(store),
                        "generation " + generation));
    }

    /**
     * Reads the file; null if it does not exist.
     *
     * @throws CorruptionException if it is corrupt
     */
    static @Nullable StoreMark read(StorageFiles files, Path file) throws IOException {
        if (!files.exists(file)) {
            return null;
        }
        List<String> lines = CheckedText.read(files, file, TITLE);
        return new StoreMark(
                CheckedText.value(file, lines, 0, "member"),
                CheckedText.hex(file, CheckedText.value(file, lines, 1, "store")),
                CheckedText.number(file, CheckedText.value(file, lines, 2, "generation")));
    }
}
