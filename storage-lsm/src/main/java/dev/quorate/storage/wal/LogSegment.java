package dev.quorate.storage.wal;

import dev.quorate.storage.format.FileNames;
import dev.quorate.storage.io.StorageFiles;
import dev.quorate.storage.io.WritableFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;

/**
 * A log segment ready for writing: preallocated on disk, with a durable header and name. Writes
 * change only bytes, so forcing it does not journal metadata.
 *
 * @param mark identifies its records, see {@link LogFormat}
 * @param bytes the file's size
 */
public record LogSegment(long number, long mark, long bytes, WritableFile file) {

    private static final int ZERO_BYTES = 64 << 10;

    private static final int LIMIT_STEPS = 64;

    /**
     * Bytes to use, of {@code bytes}, before the next segment begins: three quarters to all, in 64
     * steps. Replicas with the same writes then flush at different times.
     *
     * <p>An observer of flushes learns six bits of the mark. The others remain secret, so no value
     * can contain the mark.
     */
    long limit(long bytes) {
        return bytes - (mark & LIMIT_STEPS - 1) * (bytes / (4 * LIMIT_STEPS));
    }

    /** Creates a segment of {@code bytes}, but at least of the header. */
    public static LogSegment create(StorageFiles files, Path directory, long number, long bytes)
            throws IOException {
        return create(files, directory, directory.resolve(FileNames.log(number)), number, bytes);
    }

    /** As above, under another name. */
    static LogSegment create(StorageFiles files, Path directory, Path path, long number, long bytes)
            throws IOException {
        return begin(files, directory, path, files.create(path), number, bytes, bytes);
    }

    /** Writes the header, and zeros up to {@code zeroBytes}. Deletes the file if that fails. */
    private static LogSegment begin(
            StorageFiles files,
            Path directory,
            Path path,
            WritableFile file,
            long number,
            long bytes,
            long zeroBytes)
            throws IOException {
        long mark = files.randomMark();
        try {
            file.write(LogFormat.header(number, mark), 0);
            ByteBuffer zeros = ByteBuffer.allocate((int) Math.min(ZERO_BYTES, zeroBytes));
            for (long at = LogFormat.HEADER_BYTES; at < zeroBytes; at += ZERO_BYTES) {
                zeros.clear().limit((int) Math.min(ZERO_BYTES, zeroBytes - at));
                file.write(zeros, at);
            }
            file.force();
            files.syncDirectory(directory);
        } catch (IOException | RuntimeException | Error e) {
            abandon(files, path, file, e);
            throw e;
        }
        return new LogSegment(number, mark, bytes, file);
    }

    /**
     * Converts an obsolete segment to a new one. Its stale records remain, with another mark. If
     * the rename fails, the old segment is unchanged.
     */
    static LogSegment recycle(
            StorageFiles files, Path directory, long oldNumber, long number, long bytes)
            throws IOException {
        Path path = directory.resolve(FileNames.log(number));
        files.rename(directory.resolve(FileNames.log(oldNumber)), path);
        WritableFile file;
        try {
            file = files.open(path);
        } catch (IOException | RuntimeException | Error e) {
            delete(files, path, e);
            throw e;
        }
        return begin(files, directory, path, file, number, bytes, 0);
    }

    private static void abandon(StorageFiles files, Path path, WritableFile file, Throwable cause) {
        try {
            file.close();
        } catch (IOException e) {
            cause.addSuppressed(e);
        }
        delete(files, path, cause);
    }

    private static void delete(StorageFiles files, Path path, Throwable cause) {
        try {
            files.delete(path);
        } catch (IOException e) {
            cause.addSuppressed(e);
        }
    }
}
