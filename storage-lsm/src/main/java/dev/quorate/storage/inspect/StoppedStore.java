package dev.quorate.storage.inspect;

import dev.quorate.storage.StorageException;
import dev.quorate.storage.format.FileNames;
import dev.quorate.storage.io.FileLockedException;
import dev.quorate.storage.io.StorageFiles;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;

/** The directory of a store that is not open, locked against opening until closed. */
public record StoppedStore(Path directory, Closeable lock) implements Closeable {

    /**
     * Locks the directory if its lock file exists. A checkpoint has none before it is first opened,
     * and none is created, since inspection changes nothing.
     *
     * @throws StorageException.InUse if the directory is open in a store
     */
    public static StoppedStore lock(StorageFiles files, Path directory) throws IOException {
        Path lockFile = directory.resolve(FileNames.LOCK);
        if (!files.exists(lockFile)) {
            return new StoppedStore(directory, () -> {});
        }
        try {
            return new StoppedStore(directory, files.lock(lockFile));
        } catch (FileLockedException e) {
            throw new StorageException.InUse(directory + " is in use: stop the node first");
        }
    }

    @Override
    public void close() throws IOException {
        lock.close();
    }
}
