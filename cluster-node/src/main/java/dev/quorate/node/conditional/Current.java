package dev.quorate.node.conditional;

import dev.quorate.storage.Entry;
import org.jspecify.annotations.Nullable;

/**
 * What a key has: a value, a tombstone, or nothing. The array is not copied.
 *
 * @param value null for a tombstone, or nothing
 * @param expiresAtMillis milliseconds since 1970, or {@link Entry#NEVER}
 */
public record Current(Version version, byte @Nullable [] value, long expiresAtMillis) {

    /** No entry. */
    public static final Current NOTHING = new Current(Version.ABSENT, null, Entry.NEVER);

    /** Whether clients see a value at this moment, in milliseconds since 1970. */
    public boolean isLive(long wallMillis) {
        return value != null && !Entry.isExpired(expiresAtMillis, wallMillis);
    }
}
