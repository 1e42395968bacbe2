package dev.quorate.storage;

/** Bytes on disk differ from the bytes written. Never reported as an absent key. */
public final class CorruptionException extends StorageException {

    private final String file;
    private final long offset;

    /**
     * @param file the file's name
     * @param offset the offset in the file, in bytes
     * @param what the expected and the actual content
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
