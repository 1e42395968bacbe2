package dev.quorate.node.checkpoint;

import dev.quorate.node.directory.CheckedText;
import dev.quorate.storage.io.StorageFiles;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/**
 * A complete checkpoint, and its file {@code checkpoint}:
 *
 * <pre>
 * quorate checkpoint 1
 * name before-upgrade
 * made 1795614000000
 * bytes 123456789
 * checksum 1a2b3c4d
 * </pre>
 *
 * @param madeMillis when it was begun, in milliseconds since 1970; it has every write that the node
 *     acknowledged before
 * @param bytes bytes of its files, which take extra space only as far as the node has since
 *     replaced them
 */
public record NodeCheckpoint(CheckpointName name, long madeMillis, long bytes) {

    private static final String FILE = "checkpoint";
    private static final String TITLE = "quorate checkpoint 1";

    /** Writes the file into the directory of the checkpoint, durably. */
    void write(StorageFiles files, Path directory) throws IOException {
        CheckedText.write(
                files,
                directory.resolve(FILE),
                TITLE,
                List.of("name " + name, "made " + madeMillis, "bytes " + bytes));
    }

    /**
     * Reads the file. The checkpoint has the name of its directory, which may have been renamed.
     *
     * @throws dev.quorate.storage.CorruptionException if the file is damaged
     */
    static NodeCheckpoint read(StorageFiles files, CheckpointName name, Path directory)
            throws IOException {
        Path file = directory.resolve(FILE);
        List<String> lines = CheckedText.read(files, file, TITLE);
        return new NodeCheckpoint(
                name,
                CheckedText.number(file, CheckedText.value(file, lines, 1, "made")),
                CheckedText.number(file, CheckedText.value(file, lines, 2, "bytes")));
    }
}
