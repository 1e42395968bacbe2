package dev.quorate.storage;

/** Told what somebody should know about a store. Must not block. */
@FunctionalInterface
public interface StoreListener {

    /** The store has stopped taking writes for good. Told once. */
    void stopped(StorageException cause);

    /**
     * A table cannot be read in part or at all, and is left out of compaction until it is {@link
     * KeyValueStore#heal healed}, or the store is opened again. Told once for each table, and again
     * if more of it cannot be read when it is to be healed. What is whole in it is still read. The
     * store's {@link KeyValueStore#damage} has it before.
     *
     * @param cause with the file, and the offset if it is known
     */
    default void damaged(StorageException cause) {}
}
