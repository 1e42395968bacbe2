package dev.quorate.storage.sstable;

import dev.quorate.storage.Entry;
import java.util.Arrays;

/**
 * Computes the time at which half of a table's entries have expired. Needs eight bytes of memory
 * for each entry with an expiry.
 */
final class ExpiryMark {

    /** The mark of a table of which fewer than half of the entries ever expire. */
    static final long NEVER = Long.MAX_VALUE;

    private static final int FIRST_ROOM = 64;

    private long entries;
    private long[] expiries = {};
    private int count;

    /** Counts an entry, with or without an expiry. */
    void add(long expiresAtMillis) {
        entries++;
        if (expiresAtMillis != Entry.NEVER) {
            if (count == expiries.length) {
                expiries = Arrays.copyOf(expiries, Math.max(FIRST_ROOM, 2 * count));
            }
            expiries[count++] = expiresAtMillis;
        }
    }

    /** Milliseconds since 1970, or {@link #NEVER} if fewer than half ever expire. */
    long millis() {
        long half = (entries + 1) / 2;
        if (count == 0 || count < half) {
            return NEVER;
        }
        Arrays.sort(expiries, 0, count);
        return expiries[(int) half - 1];
    }
}
