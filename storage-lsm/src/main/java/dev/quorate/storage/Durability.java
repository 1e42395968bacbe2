package dev.quorate.storage;

/** When a write is forced to disk, relative to its acknowledgement. */
public enum Durability {
    /** Forced to disk before it is acknowledged. */
    FSYNC,
    /** Forced to disk within {@link StorageOptions#asyncWindowMillis} after it is acknowledged. */
    ASYNC
}
