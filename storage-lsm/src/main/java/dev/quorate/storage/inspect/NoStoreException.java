package dev.quorate.storage.inspect;

import java.io.IOException;

/** What was to be looked at is no store, and no file of one. */
public final class NoStoreException extends IOException {

    private static final long serialVersionUID = 1;

    public NoStoreException(String message) {
        super(message);
    }
}
