package dev.quorate.storage.io;

import java.io.IOException;

/** Another holder has the lock of a directory. */
public final class FileLockedException extends IOException {

    private static final long serialVersionUID = 1;

    public FileLockedException(String message) {
        super(message);
    }
}
