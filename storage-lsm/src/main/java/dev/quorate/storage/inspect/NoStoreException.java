package dev.quorate.storage.inspect;

import java.io.IOException;

/** The path is neither a store nor a file of one. */
public final class NoStoreException extends IOException {

    public NoStoreException(String message) {
        super(message);
    }
}
