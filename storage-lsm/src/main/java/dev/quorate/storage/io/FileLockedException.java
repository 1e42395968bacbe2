package dev.quorate.storage.io;

import java.io.IOException;

/** A lock file is already locked. */
public final class FileLockedException extends IOException {

    private static final long serialVersionUID = 1;

    public FileLockedException(String message) {
        super(message);
    }
}
