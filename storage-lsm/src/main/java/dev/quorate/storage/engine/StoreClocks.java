package dev.quorate.storage.engine;

import java.util.function.LongSupplier;

/**
 * The clocks of a store.
 *
 * @param nanos nanoseconds since an arbitrary origin, for durations
 * @param wallMillis milliseconds since 1970, for periodic work
 * @param expiredMillis milliseconds since 1970; entries that expire at or before this time have
 *     certainly expired: reads return them as tombstones, and compaction irreversibly turns them
 *     into tombstones. Too late a time destroys values; too early a time retains them on disk for
 *     longer
 */
public record StoreClocks(LongSupplier nanos, LongSupplier wallMillis, LongSupplier expiredMillis) {

    /** Clocks that trust the wall clock for expiry. */
    public StoreClocks(LongSupplier nanos, LongSupplier wallMillis) {
        this(nanos, wallMillis, wallMillis);
    }

    /** Clocks by which no entry expires. */
    public StoreClocks(LongSupplier nanos) {
        this(nanos, () -> 0);
    }
}
