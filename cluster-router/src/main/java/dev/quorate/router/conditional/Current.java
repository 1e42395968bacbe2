package dev.quorate.router.conditional;

import dev.quorate.storage.Entry;
import dev.quorate.storage.Timestamp;
import org.jspecify.annotations.Nullable;

/**
 * The state of a key: a value, a tombstone, or nothing. The array is not copied.
 *
 * @param value null for a tombstone, or nothing
 * @param expiresAtMillis milliseconds since 1970, or {@link Entry#NEVER}
 * @param from how many replicas own the entry, as stored: 0 for the replication factor
 * @param contentType the content type of the value; null for none
 */
public record Current(
        Timestamp version,
        byte @Nullable [] value,
        long expiresAtMillis,
        int from,
        @Nullable String contentType) {

    public static final Current NOTHING = new Current(Timestamp.ZERO, null, Entry.NEVER, 0, null);

    /** Whether there is no entry. */
    public boolean isNothing() {
        return version.equals(Timestamp.ZERO);
    }

    /**
     * The state that clients see: an expired value is a tombstone, and a live one never expires.
     *
     * @param wallMillis milliseconds since 1970
     */
    public Current asOf(long wallMillis) {
        if (expiresAtMillis == Entry.NEVER) {
            return this;
        }
        boolean isLive = !Entry.isExpired(expiresAtMillis, wallMillis);
        return new Current(
                version, isLive ? value : null, Entry.NEVER, from, isLive ? contentType : null);
    }
}
