package dev.quorate.storage;

/** Receives the events of a store that need an operator's or a node's attention. Must not block. */
@FunctionalInterface
public interface StoreListener {

    /** The store permanently rejects writes. Called once. */
    void stopped(StorageException cause);

    /**
     * A table is wholly or partly unreadable, and is excluded from compaction until it is {@link
     * KeyValueStore#heal healed} or the store is reopened. Its intact parts are still read. Called
     * once for each table, after {@link KeyValueStore#damage} contains it, and again if healing
     * finds more of it unreadable.
     *
     * @param cause includes the file, and the offset if it is known
     */
    default void damaged(StorageException cause) {}

    /** An fsync of the log took {@code nanos} nanoseconds. Called on the log's thread. */
    default void logForced(long nanos) {}

    /**
     * A group of writes begins.
     *
     * @param nanos the time that its first write waited for the log
     */
    default void groupBegun(long nanos) {}

    /**
     * A written entry is visible to look-ups, unless a newer one of its key is. Called on the
     * completion task, before the write completes.
     */
    default void stored(Entry entry) {}
}
