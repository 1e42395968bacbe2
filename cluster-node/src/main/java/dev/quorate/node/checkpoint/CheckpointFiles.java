package dev.quorate.node.checkpoint;

import dev.quorate.storage.io.FileDigest;
import dev.quorate.storage.io.MappedFile;
import dev.quorate.storage.io.StorageFiles;
import java.io.IOException;
import java.lang.foreign.ValueLayout;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/**
 * Reads the files of complete checkpoints, which do not change, to copy them elsewhere.
 * Thread-safe.
 */
public final class CheckpointFiles {

    /** A file, or a file in a directory; all paths in a data directory have this form. */
    private static final Pattern PATH =
            Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]*(/[A-Za-z0-9][A-Za-z0-9._-]*)?");

    private final StorageFiles files;
    private final Path folder;

    /**
     * Creates a reader for a node.
     *
     * @param data the data directory
     */
    public CheckpointFiles(StorageFiles files, Path data) {
        this.files = files;
        this.folder = data.resolve(Checkpoints.FOLDER);
    }

    /**
     * The paths of the files of a checkpoint, sorted; empty if no checkpoint has this name.
     *
     * @throws IOException if they cannot be listed
     */
    public List<String> paths(CheckpointName name) throws IOException {
        Path directory = folder.resolve(name.text());
        List<String> paths = new ArrayList<>();
        if (!files.isDirectory(folder) || !files.isDirectory(directory)) {
            return paths;
        }
        for (String each : files.list(directory).stream().sorted().toList()) {
            if (files.isDirectory(directory.resolve(each))) {
                for (String inner :
                        files.list(directory.resolve(each)).stream().sorted().toList()) {
                    paths.add(each + "/" + inner);
                }
            } else {
                paths.add(each);
            }
        }
        paths.removeIf(path -> !PATH.matcher(path).matches());
        return paths;
    }

    /**
     * The bytes of a file from an offset on; empty at and after its end.
     *
     * @param path one of {@link #paths}
     * @throws NoSuchFileException if it does not exist
     */
    public byte[] read(CheckpointName name, String path, long offset, int maxBytes)
            throws IOException {
        try (MappedFile file = files.map(existing(name, path))) {
            long bytes = Math.clamp(file.bytes().byteSize() - offset, 0, maxBytes);
            return bytes == 0
                    ? new byte[0]
                    : file.bytes().asSlice(offset, bytes).toArray(ValueLayout.JAVA_BYTE);
        }
    }

    /** A file's SHA-256, in hexadecimal digits, a space, its length, a space, and its path. */
    public String describe(CheckpointName name, String path) throws IOException {
        try (MappedFile file = files.map(existing(name, path))) {
            return FileDigest.of(file) + " " + file.bytes().byteSize() + " " + path;
        }
    }

    private Path existing(CheckpointName name, String path) throws IOException {
        if (!PATH.matcher(path).matches()) {
            throw new NoSuchFileException(path);
        }
        return folder.resolve(name.text()).resolve(path);
    }
}
