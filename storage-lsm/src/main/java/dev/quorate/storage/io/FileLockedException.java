package dev.quorate.storage.io;

import java.io.IOException;

/** A lock file is already locked. */
public final class FileLockedException extends IOException {

    public FileLockedException(String message) {
        super(message);
    }
}
