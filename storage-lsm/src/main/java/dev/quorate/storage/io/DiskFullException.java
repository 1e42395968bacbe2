package dev.quorate.storage.io;

import java.io.IOException;

/** No space is left for what was to be written. */
public final class DiskFullException extends IOException {

    private static final long serialVersionUID = 1;

    public DiskFullException(String message, Throwable cause) {
        super(message, cause);
    }

    public DiskFullException(String message) {
        super(message);
    }
}
