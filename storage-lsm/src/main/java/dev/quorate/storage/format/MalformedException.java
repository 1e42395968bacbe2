package dev.quorate.storage.format;

/**
 * Bytes are not a valid encoding. The caller adds the file and the offset in a {@link
 * dev.quorate.storage.CorruptionException}.
 */
public final class MalformedException extends IllegalArgumentException {

    public MalformedException(String what) {
        super(what);
    }
}
