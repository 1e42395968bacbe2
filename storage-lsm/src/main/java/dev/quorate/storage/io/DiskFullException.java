package dev.quorate.storage.io;

import java.io.IOException;

/** A write failed for lack of space. */
public final class DiskFullException extends IOException {

    public DiskFullException(String message, Throwable cause) {
        super(message, cause);
    }

    public DiskFullException(String message) {
        super(message);
    }
}
