package dev.quorate.storage;

import org.jspecify.annotations.Nullable;

/** The store could not do what it was asked to; the subclass says of what kind the reason is. */
public abstract sealed class StorageException extends RuntimeException
        permits CorruptionException,
                StorageException.Closed,
                StorageException.Full,
                StorageException.InUse,
                StorageException.Io,
                StorageException.Overloaded {

    private static final long serialVersionUID = 1;

    protected StorageException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }

    /** The store is closed, or has stopped itself after a failed fsync. */
    public static final class Closed extends StorageException {
        private static final long serialVersionUID = 1;

        public Closed(String message) {
            super(message, null);
        }
    }

    /** The disk is full: writes are refused, reads go on, and writes resume when space is free. */
    public static final class Full extends StorageException {
        private static final long serialVersionUID = 1;

        public Full(String message, @Nullable Throwable cause) {
            super(message, cause);
        }
    }

    /** Another process, or another store of this one, has the directory open. */
    public static final class InUse extends StorageException {
        private static final long serialVersionUID = 1;

        public InUse(String message) {
            super(message, null);
        }
    }

    /** The operating system failed a read, a write or an fsync. */
    public static final class Io extends StorageException {
        private static final long serialVersionUID = 1;

        public Io(String message, @Nullable Throwable cause) {
            super(message, cause);
        }
    }

    /** Too much is queued: nothing was attempted, try again later. */
    public static final class Overloaded extends StorageException {
        private static final long serialVersionUID = 1;

        public Overloaded(String message) {
            super(message, null);
        }
    }
}
