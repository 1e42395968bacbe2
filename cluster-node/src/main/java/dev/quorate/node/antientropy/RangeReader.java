package dev.quorate.node.antientropy;

import dev.quorate.node.message.ComparedRange;
import dev.quorate.node.message.ComparedRange.Listed;
import dev.quorate.node.message.ComparedRange.Part;
import dev.quorate.node.message.ReplicaRequest;
import dev.quorate.node.runtime.Ticker;
import dev.quorate.storage.Entry;
import dev.quorate.storage.EntryCursor;
import dev.quorate.storage.KeyValueStore;
import dev.quorate.storage.Lookup;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Reads ranges of this node's store, and sums or lists the entries that another member owns too.
 * Every walk is short: it ends after {@link #MAX_ENTRIES} entries, {@link #MAX_BYTES} or {@link
 * #MAX_NANOS}, and returns where, so that it does not occupy a shared thread.
 */
final class RangeReader {

    static final int MAX_ENTRIES = 16_384;
    static final long MAX_BYTES = 4 << 20;
    static final long MAX_NANOS = 200_000_000;

    /** How many parts a range is divided into. Fewer: more rounds. More: more sums that agree. */
    static final int PARTS = 8;

    private static final int MAX_LIST_BYTES = 64 << 10;
    private static final int ENTRY_OVERHEAD_BYTES = 32;

    /**
     * What was read.
     *
     * @param end where it ended; null at the end of the store
     * @param sum of the entries
     * @param entries how many
     */
    record Stretch(byte @Nullable [] end, long sum, int entries) {}

    /** A sum, and of how many entries. */
    record Sum(long sum, int entries) {}

    private final KeyValueStore store;
    private final CommonOwnership shared;
    private final Ticker ticker;
    private final int salt;
    private long gcWatermarkMillis;
    private long bytesRead;

    RangeReader(KeyValueStore store, CommonOwnership shared, Ticker ticker, int salt) {
        this.store = store;
        this.shared = shared;
        this.ticker = ticker;
        this.salt = salt;
    }

    /** Ignores tombstones from before that moment from now on. */
    void ignoreTombstonesBefore(long millis) {
        gcWatermarkMillis = millis;
    }

    /** See {@link #ignoreTombstonesBefore}; in milliseconds since 1970. */
    long gcWatermarkMillis() {
        return gcWatermarkMillis;
    }

    /** Whether both members own an entry. */
    private boolean counts(Entry entry) {
        return shared.holds(entry)
                && !(entry.isTombstone() && entry.timestamp().wallMillis() < gcWatermarkMillis);
    }

    /** Bytes of entries that were read so far. */
    long bytesRead() {
        return bytesRead;
    }

    /** This node's entry of a key; null if there is none. */
    @Nullable Entry lookup(byte[] key) {
        return switch (store.lookup(key)) {
            case Lookup.Found found -> found.entry();
            case Lookup.Absent absent -> null;
            case Lookup.NotResident notResident ->
                    throw new IllegalStateException("the store did not wait for the disk");
        };
    }

    /** The answer to a comparison request of the other member. */
    ComparedRange compare(ReplicaRequest.Compare request) {
        Divider divider = new Divider(PARTS);
        List<Listed> listed = new ArrayList<>();
        long sum = 0;
        long listedBytes = 0;
        int count = 0;
        byte[] reached = null;
        try (Walk walk = new Walk(request.start(), request.end())) {
            Entry entry;
            while ((entry = walk.next()) != null) {
                long hash = Sums.hash(salt, entry);
                sum += hash;
                divider.add(entry.key(), hash);
                count++;
                listedBytes += entry.key().length;
                if (count <= request.listUpTo() && listedBytes <= MAX_LIST_BYTES) {
                    listed.add(listed(entry));
                }
            }
            reached = walk.reached();
        }
        if (reached == null && sum == request.sum()) {
            return ComparedRange.Same.SAME;
        }
        if (reached == null && (count == listed.size() || count == 1)) {
            return new ComparedRange.Listing(listed);
        }
        return new ComparedRange.Parts(divider.parts(reached));
    }

    /** The next stretch of this store. */
    Stretch stretch(byte[] start) {
        long sum = 0;
        int entries = 0;
        try (Walk walk = new Walk(start, null)) {
            Entry entry;
            while ((entry = walk.next()) != null) {
                sum += Sums.hash(salt, entry);
                entries++;
            }
            return new Stretch(walk.reached(), sum, entries);
        }
    }

    /**
     * The sums of this store's entries in the parts of a range that is no longer than a stretch.
     *
     * @param end of the last part, if that has none
     */
    List<Sum> sums(byte[] start, List<Part> parts, byte @Nullable [] end) {
        byte @Nullable [] last = parts.getLast().end() == null ? end : parts.getLast().end();
        long[] sums = new long[parts.size()];
        int[] entries = new int[parts.size()];
        int at = 0;
        try (EntryCursor cursor = store.scan(start, last)) {
            while (cursor.next()) {
                Entry entry = cursor.entry();
                count(entry);
                while (isPast(entry.key(), parts.get(at).end())) {
                    at++;
                }
                if (counts(entry)) {
                    sums[at] += Sums.hash(salt, entry);
                    entries[at]++;
                }
            }
        }
        List<Sum> all = new ArrayList<>();
        for (int i = 0; i < sums.length; i++) {
            all.add(new Sum(sums[i], entries[i]));
        }
        return all;
    }

    private static boolean isPast(byte[] key, byte @Nullable [] end) {
        return end != null && Arrays.compareUnsigned(key, end) >= 0;
    }

    /** A range that is no longer than a stretch, divided by this store's own entries. */
    List<Part> divide(byte[] start, byte @Nullable [] end) {
        Divider divider = new Divider(PARTS);
        try (EntryCursor cursor = store.scan(start, end)) {
            while (cursor.next()) {
                Entry entry = cursor.entry();
                count(entry);
                if (counts(entry)) {
                    divider.add(entry.key(), Sums.hash(salt, entry));
                }
            }
        }
        return divider.parts(null);
    }

    /** The entries of a range that is no longer than a stretch. */
    List<Listed> list(byte[] start, byte @Nullable [] end) {
        List<Listed> listed = new ArrayList<>();
        try (EntryCursor cursor = store.scan(start, end)) {
            while (cursor.next()) {
                Entry entry = cursor.entry();
                count(entry);
                if (counts(entry)) {
                    listed.add(listed(entry));
                }
            }
        }
        return listed;
    }

    private static Listed listed(Entry entry) {
        return new Listed(entry.key(), entry.timestamp(), Sums.content(entry));
    }

    private long count(Entry entry) {
        long bytes = entry.key().length + entry.valueBytes() + (long) ENTRY_OVERHEAD_BYTES;
        bytesRead += bytes;
        return bytes;
    }

    /** A walk over the shared entries of a range, which ends early if it takes too long. */
    private final class Walk implements AutoCloseable {

        private final EntryCursor cursor;
        private final long startedNanos = ticker.nanos();
        private int entries;
        private long bytes;
        private byte @Nullable [] reached;

        Walk(byte[] start, byte @Nullable [] end) {
            cursor = store.scan(start, end);
        }

        @Nullable Entry next() {
            while (cursor.next()) {
                if (entries > 0 && isLong()) {
                    reached = cursor.key();
                    return null;
                }
                Entry entry = cursor.entry();
                entries++;
                bytes += count(entry);
                if (counts(entry)) {
                    return entry;
                }
            }
            return null;
        }

        private boolean isLong() {
            return entries >= MAX_ENTRIES
                    || bytes >= MAX_BYTES
                    || (entries % 64 == 0 && ticker.nanos() - startedNanos >= MAX_NANOS);
        }

        /** The first key that was not read; null if the walk reached the end. */
        byte @Nullable [] reached() {
            return reached;
        }

        @Override
        public void close() {
            cursor.close();
        }
    }
}
