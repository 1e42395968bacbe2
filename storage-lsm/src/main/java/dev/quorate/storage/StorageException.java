package dev.quorate.storage;

import org.jspecify.annotations.Nullable;

/** An operation of the store failed; the subclass is the kind of failure. */
public abstract sealed class StorageException extends RuntimeException
        permits CorruptionException,
                StorageException.Closed,
                StorageException.Full,
                StorageException.InUse,
                StorageException.Io,
                StorageException.Overloaded {

    protected StorageException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }

    /** The store is closed, or has stopped itself after a failed fsync. */
    public static final class Closed extends StorageException {
        public Closed(String message) {
            super(message, null);
        }
    }

    /** The disk is full: writes are rejected until space is free, and reads continue. */
    public static final class Full extends StorageException {
        public Full(String message, @Nullable Throwable cause) {
            super(message, cause);
        }
    }

    /** The directory is open in another process, or in another store of this process. */
    public static final class InUse extends StorageException {
        public InUse(String message) {
            super(message, null);
        }
    }

    /** A read, a write or an fsync failed in the operating system. */
    public static final class Io extends StorageException {
        public Io(String message, @Nullable Throwable cause) {
            super(message, cause);
        }
    }

    /** Too much is queued: nothing was attempted. Retry later. */
    public static final class Overloaded extends StorageException {
        public Overloaded(String message) {
            super(message, null);
        }
    }
}
