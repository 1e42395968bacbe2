package dev.quorate.storage.wal;

import dev.quorate.storage.StorageException;
import dev.quorate.storage.io.DiskFullException;

/**
 * Lets the log grow as it likes, and expects no failure; whoever extends it says what is stored.
 */
abstract class HealthyLog implements CommitListener {

    @Override
    public boolean mayRoll() {
        return true;
    }

    @Override
    public long bytesPerSecond(double fill) {
        return Pacer.UNLIMITED;
    }

    @Override
    public void rolling() {}

    @Override
    public void rolled(long next) {}

    @Override
    public void outOfSpace(DiskFullException cause) {
        throw new AssertionError(cause);
    }

    @Override
    public void failed(StorageException cause) {
        throw cause;
    }
}
