package dev.quorate.storage;

import org.jspecify.annotations.Nullable;

/**
 * Iterates over entries in a {@linkplain KeyOrder order} of their keys. Not thread-safe. Retains
 * its tables until closed.
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
     * The key of {@link #entry}. Cursors over files return it without reading the value, so that a
     * merge of many cursors has one value in memory, not one for each.
     */
    default byte[] key() {
        return entry().key();
    }

    /** The timestamp of {@link #entry}, also without reading the value. */
    default Timestamp timestamp() {
        return entry().timestamp();
    }

    /**
     * The value of {@link #entry} if it is long and was not read; null otherwise. Only some cursors
     * return any.
     */
    default @Nullable UnreadValue unreadValue() {
        return null;
    }

    @Override
    void close();
}
