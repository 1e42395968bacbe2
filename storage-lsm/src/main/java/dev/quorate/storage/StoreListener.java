package dev.quorate.storage;

/** Told what somebody should know about a store. Must not block. */
@FunctionalInterface
public interface StoreListener {

    /** The store has stopped taking writes for good. Told once. */
    void stopped(StorageException cause);

    /**
     * A table cannot be read in part or at all, and is left out of compaction until the store is
     * opened again. Told once for each table. What is whole in it is still read.
     *
     * @param cause with the file, and the offset if it is known
     */
    default void damaged(StorageException cause) {}
}
