package dev.quorate.storage.io;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;

/**
 * A disk. All file access of the store goes through this interface. A change is durable only after
 * {@link WritableFile#force} (bytes) or {@link #syncDirectory} (creation, renaming, deletion).
 */
public interface StorageFiles {

    void createDirectories(Path directory) throws IOException;

    /**
     * Creates a directory that only the user of this process may enter. Its parent exists.
     *
     * @throws IOException also if the name exists and is not a directory; a link is not one
     */
    default void createPrivateDirectory(Path directory) throws IOException {
        createDirectories(directory);
    }

    /** Whether the path is a directory, not a link to one. */
    default boolean isDirectory(Path path) throws IOException {
        return !list(path).isEmpty();
    }

    /**
     * Deletes a directory with its contents, if it exists. Deletes links without following them.
     * Not durable before {@link #syncDirectory} of its parent.
     */
    default void deleteTree(Path directory) throws IOException {
        for (String name : list(directory)) {
            Path inner = directory.resolve(name);
            if (isDirectory(inner)) {
                deleteTree(inner);
            } else {
                delete(inner);
            }
        }
    }

    /** The names of the files in a directory, in no particular order. */
    List<String> list(Path directory) throws IOException;

    boolean exists(Path file) throws IOException;

    /** Creates a file for writing. Fails if it exists. */
    WritableFile create(Path file) throws IOException;

    /** Opens an existing file for writing in place. */
    WritableFile open(Path file) throws IOException;

    /**
     * Maps the whole file, with its current size, read-only. For immutable files and for recovery.
     */
    MappedFile map(Path file) throws IOException;

    /** Replaces {@code to} by {@code from}, atomically. Does not replace a nonempty directory. */
    void rename(Path from, Path to) throws IOException;

    /** Creates a hard link to a file in the same file system. Fails if {@code link} exists. */
    void link(Path file, Path link) throws IOException;

    void delete(Path file) throws IOException;

    /**
     * Replaces a small file atomically and durably: after a crash it is either the old or the new
     * one.
     *
     * @param file in an existing directory; also uses the name with the suffix {@code .next}
     */
    default void replace(Path file, ByteBuffer bytes) throws IOException {
        Path next = file.resolveSibling(file.getFileName() + ".next");
        if (exists(next)) {
            delete(next); // left by an interrupted replacement
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
     * Locks a lock file. The operating system releases the lock with the process.
     *
     * @throws IOException also if it is already locked
     */
    Closeable lock(Path file) throws IOException;

    long freeBytes(Path directory) throws IOException;

    /**
     * 64 unpredictable random bits: the mark of a file of records, which distinguishes its records
     * from any other bytes in it.
     */
    long randomMark();
}
