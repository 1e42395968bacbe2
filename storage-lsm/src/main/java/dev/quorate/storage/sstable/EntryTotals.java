package dev.quorate.storage.sstable;

import dev.quorate.storage.Entry;
import dev.quorate.storage.Timestamp;
import java.util.Arrays;

/**
 * The totals of a table's entries, as in its summary. Needs eight bytes of memory for each entry
 * with an expiry.
 */
final class EntryTotals {

    /** The {@link #halfExpiredMillis} of a table of which fewer than half ever expire. */
    static final long NEVER = Long.MAX_VALUE;

    private static final int FIRST_ROOM = 64;

    private long entries;
    private long tombstones;
    private Timestamp oldest = Timestamp.ZERO;
    private Timestamp newest = Timestamp.ZERO;
    private long[] expiries = {};
    private int count;

    /** Counts an entry, with or without an expiry. */
    void add(Timestamp timestamp, boolean isTombstone, long expiresAtMillis) {
        if (entries == 0 || oldest.isAfter(timestamp.root())) {
            oldest = timestamp.root();
        }
        if (timestamp.ceiling().isAfter(newest)) {
            newest = timestamp.ceiling();
        }
        entries++;
        tombstones += isTombstone ? 1 : 0;
        if (expiresAtMillis != Entry.NEVER) {
            if (count == expiries.length) {
                expiries = Arrays.copyOf(expiries, Math.max(FIRST_ROOM, 2 * count));
            }
            expiries[count++] = expiresAtMillis;
        }
    }

    /**
     * When half of the entries have expired, in milliseconds since 1970, or {@link #NEVER} if fewer
     * than half ever expire.
     */
    long halfExpiredMillis() {
        long half = (entries + 1) / 2;
        if (count == 0 || count < half) {
            return NEVER;
        }
        Arrays.sort(expiries, 0, count);
        return expiries[(int) half - 1];
    }

    /** Whether {@code metadata} is of a table with these totals. */
    boolean match(TableMetadata metadata) {
        return entries == metadata.entries()
                && tombstones == metadata.tombstones()
                && oldest.equals(metadata.oldest())
                && newest.equals(metadata.newest());
    }

    /** The metadata of a table with these entries. */
    TableMetadata metadata(
            long number, int level, long fileBytes, byte[] smallestKey, byte[] largestKey) {
        return new TableMetadata(
                number,
                level,
                fileBytes,
                entries,
                tombstones,
                smallestKey,
                largestKey,
                oldest,
                newest);
    }
}
