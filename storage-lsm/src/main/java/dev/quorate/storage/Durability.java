package dev.quorate.storage;

/** What a completed write has survived. */
public enum Durability {
    /** Forced to disk before it is acknowledged. */
    FSYNC,
    /** Forced to disk within {@link StorageOptions#asyncWindowMillis} after it is acknowledged. */
    ASYNC
}
