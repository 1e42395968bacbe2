package dev.quorate.storage;

/**
 * Told, exactly once, how a write ended. Called on the store's completion thread: it must not block
 * and must not throw.
 */
public interface WriteCompletion {

    /**
     * The entry is durable, as the store's durability defines it, and visible to look-ups.
     *
     * @param newest the newest timestamp that the store holds for the key: the entry's own, or a
     *     later one if the entry was superseded before it came
     */
    void stored(Timestamp newest);

    /**
     * Whether nobody waits any more. May be asked before the entry is written to the log, on the
     * log's thread: if so it is not written, and {@link #failed} is told. By default never.
     */
    default boolean isExpired() {
        return false;
    }

    /** The entry may or may not be stored; the exception says why it is not known to be. */
    void failed(StorageException cause);

    /**
     * The entry is durable, and visible as far as damage allows: what the store holds for the key
     * beside it cannot be read, and may be newer. In place of {@link #stored}; by default a
     * failure.
     *
     * @param cause why it cannot be read
     */
    default void storedBesideDamage(StorageException cause) {
        failed(cause);
    }
}
