package dev.quorate.storage.inspect;

import dev.quorate.storage.StorageException;
import dev.quorate.storage.format.FileNames;
import dev.quorate.storage.io.FileLockedException;
import dev.quorate.storage.io.StorageFiles;
import java.io.IOException;
import java.nio.file.Path;

/** A store's directory that nobody has open, and nobody opens until this is closed. */
record StoppedStore(Path directory, AutoCloseable lock) implements AutoCloseable {

    /**
     * Takes the directory's lock, if it has a lock file. A checkpoint has none before it is first
     * opened, and to make one would be a change.
     *
     * @throws StorageException.InUse if a store has it open
     */
    static StoppedStore hold(StorageFiles files, Path directory) throws IOException {
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
        try {
            lock.close();
        } catch (IOException | RuntimeException e) {
            throw e;
        } catch (Exception e) {
            throw new IOException(e);
        }
    }
}
