package dev.quorate.storage.sstable;

import dev.quorate.storage.Entry;
import java.util.Arrays;

/**
 * Finds the moment from which on at least half of a table's entries have expired. Holds eight bytes
 * for each entry that expires.
 */
final class ExpiryMark {

    private static final int FIRST_ROOM = 64;

    private long entries;
    private long[] expiries = {};
    private int count;

    /** Counts an entry, which may never expire. */
    void add(long expiresAtMillis) {
        entries++;
        if (expiresAtMillis != Entry.NEVER) {
            if (count == expiries.length) {
                expiries = Arrays.copyOf(expiries, Math.max(FIRST_ROOM, 2 * count));
            }
            expiries[count++] = expiresAtMillis;
        }
    }

    /** Milliseconds since 1970, or {@link SSTable#NEVER} if fewer than half expire at all. */
    long millis() {
        long half = (entries + 1) / 2;
        if (count == 0 || count < half) {
            return SSTable.NEVER;
        }
        Arrays.sort(expiries, 0, count);
        return expiries[(int) half - 1];
    }
}
