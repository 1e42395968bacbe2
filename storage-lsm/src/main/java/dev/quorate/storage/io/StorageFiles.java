package dev.quorate.storage.io;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;

/**
 * A disk. Every effect that the store has on files goes through here. Names are whole paths; what
 * is written is durable only after {@link WritableFile#force} (bytes) and {@link #syncDirectory}
 * (creation, renaming, deletion).
 */
public interface StorageFiles {

    void createDirectories(Path directory) throws IOException;

    /** The names of the files in a directory, in no particular order. */
    List<String> list(Path directory) throws IOException;

    boolean exists(Path file) throws IOException;

    /** Creates a file for writing. Fails if it exists. */
    WritableFile create(Path file) throws IOException;

    /** Opens an existing file for writing in place. */
    WritableFile open(Path file) throws IOException;

    /**
     * The whole file, mapped read-only, as it is now. Used for what no longer changes, and for
     * recovery.
     */
    MappedFile map(Path file) throws IOException;

    /** Replaces {@code to} by {@code from}, atomically. */
    void rename(Path from, Path to) throws IOException;

    /** Gives a file a second name, in the same file system. Fails if {@code link} exists. */
    void link(Path file, Path link) throws IOException;

    void delete(Path file) throws IOException;

    /**
     * Writes a small file as a whole, durably: after a crash it is as it was, or as it is to be.
     *
     * @param file in a directory that exists; its name with {@code .next} behind is used too
     */
    default void replace(Path file, ByteBuffer bytes) throws IOException {
        Path next = file.resolveSibling(file.getFileName() + ".next");
        if (exists(next)) {
            delete(next); // left by a run that ended meanwhile
        }
        try (WritableFile writable = create(next)) {
            writable.write(bytes, 0);
            writable.force();
        }
        rename(next, file);
        syncDirectory(Objects.requireNonNull(file.getParent()));
    }

    /** Makes creations, renamings and deletions in a directory durable. */
    void syncDirectory(Path directory) throws IOException;

    /**
     * Takes the directory's lock, which the operating system drops with the process.
     *
     * @throws IOException also if another holder has it
     */
    AutoCloseable lock(Path file) throws IOException;

    /** Free bytes of the disk that holds {@code directory}. */
    long freeBytes(Path directory) throws IOException;

    /**
     * 64 random bits that nobody can guess. A file that is written record by record is given them
     * for its mark, by which its records are known from whatever else lies in it.
     */
    long randomMark();
}
