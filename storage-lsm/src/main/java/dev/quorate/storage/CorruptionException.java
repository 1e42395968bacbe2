package dev.quorate.storage;

/** Bytes on disk are not what was written. Never answered as "absent". */
public final class CorruptionException extends StorageException {

    private static final long serialVersionUID = 1;

    private final String file;
    private final long offset;

    /**
     * @param file the file's name
     * @param offset where in it, in bytes
     * @param what what was expected, and what was found
     */
    public CorruptionException(String file, long offset, String what) {
        super(file + " is corrupt at offset " + offset + ": " + what, null);
        this.file = file;
        this.offset = offset;
    }

    public String file() {
        return file;
    }

    public long offset() {
        return offset;
    }
}
