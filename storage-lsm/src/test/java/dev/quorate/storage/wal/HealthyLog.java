package dev.quorate.storage.wal;

import dev.quorate.storage.StorageException;
import dev.quorate.storage.io.DiskFullException;

/** Never throttles the log and expects no failure; subclasses define the completion of writes. */
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
