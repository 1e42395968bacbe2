package dev.quorate.storage;

/**
 * Receives the outcome of a write, exactly once. Called by the completion task, or by the writer's
 * thread if the write is rejected: it must neither block nor throw.
 */
public interface WriteCompletion {

    /**
     * The entry is durable, as the store's {@link Durability} defines it, and visible to look-ups.
     *
     * @param newest the newest timestamp of the key in the store: the entry's own, or a later one
     *     if the entry was already superseded. If {@link #needsNewest} is false, a later one may
     *     exist
     */
    void stored(Timestamp newest);

    /**
     * Whether {@link #stored} uses its argument. If so, a write that is older than an entry of any
     * key in a table costs a look-up, and fails if the look-up does. True by default.
     */
    default boolean needsNewest() {
        return true;
    }

    /**
     * Whether the outcome is no longer needed. May be called on the log's thread before the entry
     * is written to the log: if true, the entry is not written, and {@link #failed} is called.
     * False by default.
     */
    default boolean isExpired() {
        return false;
    }

    /** The write failed because of {@code cause}; the entry may be stored nevertheless. */
    void failed(StorageException cause);
}
