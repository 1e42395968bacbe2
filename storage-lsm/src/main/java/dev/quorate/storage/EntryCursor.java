package dev.quorate.storage;

/**
 * A forward walk over entries in ascending order of key bytes (unsigned). Not safe for use by two
 * threads at once. Holds tables open until closed.
 */
public interface EntryCursor extends AutoCloseable {

    /**
     * Moves to the next entry.
     *
     * @return false at the end
     * @throws StorageException if the next entry cannot be read
     */
    boolean next();

    /**
     * The entry that {@link #next} moved to.
     *
     * @throws IllegalStateException before the first {@code next} and after the last
     */
    Entry entry();

    /**
     * The key of {@link #entry}. Cursors over files give it without reading the value, so that a
     * merge of many holds one value and not one of each.
     */
    default byte[] key() {
        return entry().key();
    }

    /** The timestamp of {@link #entry}, likewise. */
    default Timestamp timestamp() {
        return entry().timestamp();
    }

    @Override
    void close();
}
