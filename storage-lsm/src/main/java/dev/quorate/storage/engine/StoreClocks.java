package dev.quorate.storage.engine;

import java.util.function.LongSupplier;

/**
 * What a store knows of the time.
 *
 * @param nanos nanoseconds since some fixed moment, for durations
 * @param wallMillis milliseconds since 1970, for work that is done once in so long
 * @param expiredMillis what expires at or before this moment, in milliseconds since 1970, has
 *     expired for certain: it is given as a tombstone, and compaction makes it one, for good. A
 *     moment that is too late destroys values; one that is too early keeps them on disk for longer
 */
public record StoreClocks(LongSupplier nanos, LongSupplier wallMillis, LongSupplier expiredMillis) {

    /** With a wall clock that is never wrong. */
    public StoreClocks(LongSupplier nanos, LongSupplier wallMillis) {
        this(nanos, wallMillis, wallMillis);
    }
}
