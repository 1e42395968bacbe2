package dev.quorate.storage.format;

/**
 * Bytes that no encoder of ours wrote. The caller, who knows the file and the offset, turns it into
 * a {@link dev.quorate.storage.CorruptionException}.
 */
public final class MalformedException extends IllegalArgumentException {

    private static final long serialVersionUID = 1;

    public MalformedException(String what) {
        super(what);
    }
}
