package dev.quorate.node.antientropy;

import dev.quorate.router.message.ComparedRange;
import dev.quorate.router.message.ComparedRange.Listed;
import dev.quorate.router.message.ComparedRange.Part;
import dev.quorate.router.message.ReplicaRequest;
import dev.quorate.router.runtime.Ticker;
import dev.quorate.router.topology.Member;
import dev.quorate.storage.Entry;
import dev.quorate.storage.EntryCursor;
import dev.quorate.storage.KeyValueStore;
import dev.quorate.storage.Lookup;
import dev.quorate.storage.Timestamp;
import dev.quorate.storage.UnreadValue;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Reads ranges of this node's store, and sums or lists the entries that another member owns too.
 * Every walk is short: it ends after {@link #MAX_ENTRIES} entries, {@link #MAX_BYTES} or {@link
 * #MAX_NANOS}, and returns its end, so that it does not occupy a shared thread.
 */
final class RangeReader {

    static final int MAX_ENTRIES = 16_384;
    static final long MAX_BYTES = 4 << 20;
    static final long MAX_NANOS = 200_000_000;

    /**
     * How many times as much an answer may read as a question: a range that the other member does
     * not read to its end differs.
     */
    private static final int ANSWER_FACTOR = 4;

    /**
     * The maximum number of parts of a range, even. Fewer need more rounds, more send more sums
     * that agree.
     */
    static final int PARTS = 8;

    private static final int MAX_LIST_BYTES = 64 << 10;
    private static final int ENTRY_OVERHEAD_BYTES = 32;

    /**
     * A part of the store that was read.
     *
     * @param end where it ended; null at the end of the store
     * @param sum the sum of the entries
     * @param entries the number of entries
     */
    record Stretch(byte @Nullable [] end, long sum, int entries) {}

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

    /** Ignores tombstones older than {@code millis} from now on. */
    void ignoreTombstonesBefore(long millis) {
        gcWatermarkMillis = millis;
    }

    /** See {@link #ignoreTombstonesBefore}; in milliseconds since 1970. */
    long gcWatermarkMillis() {
        return gcWatermarkMillis;
    }

    /** The parts of an entry that a comparison needs. The value is not among them. */
    record Summary(byte[] key, Timestamp timestamp, int from, boolean isTombstone, int content) {

        Listed listed() {
            return new Listed(key, timestamp, content);
        }
    }

    private Summary summary(EntryCursor cursor) {
        UnreadValue unread = cursor.unreadValue();
        if (unread != null) {
            count(cursor.key(), unread.bytes());
            return new Summary(
                    cursor.key(), cursor.timestamp(), unread.from(), false, Sums.content(unread));
        }
        Entry entry = cursor.entry();
        count(entry.key(), entry.valueBytes());
        return new Summary(
                entry.key(),
                entry.timestamp(),
                entry.from(),
                entry.isTombstone(),
                Sums.content(entry));
    }

    long hash(Summary entry) {
        return Sums.hash(salt, entry.key, entry.timestamp, entry.content);
    }

    /** Whether both members own an entry, and it is not an ignored tombstone. */
    private boolean counts(Summary entry) {
        return counts(entry, owners(entry));
    }

    boolean counts(Summary entry, List<Member> owners) {
        return shared.areAmong(owners)
                && !(entry.isTombstone && entry.timestamp.wallMillis() < gcWatermarkMillis);
    }

    /** Whether both judge by the same owners of keys. */
    boolean hasPlacementOf(RangeReader another) {
        return shared.hasPlacementOf(another.shared);
    }

    List<Member> owners(Summary entry) {
        return shared.owners(entry.key, entry.from);
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

    ComparedRange compare(ReplicaRequest.Compare request) {
        Divider divider = new Divider();
        List<Listed> listed = new ArrayList<>();
        long sum = 0;
        long listedBytes = 0;
        int count = 0;
        byte[] reached = null;
        try (Walk walk = new Walk(request.start(), request.end(), ANSWER_FACTOR)) {
            Summary entry;
            while ((entry = walk.next()) != null) {
                if (!counts(entry)) {
                    continue;
                }
                long hash = hash(entry);
                sum += hash;
                divider.add(entry.key, hash);
                count++;
                listedBytes += entry.key.length;
                if (count <= request.listUpTo() && listedBytes <= MAX_LIST_BYTES) {
                    listed.add(entry.listed());
                }
            }
            reached = walk.reached;
        }
        if (reached == null && sum == request.sum()) {
            return ComparedRange.Same.SAME;
        }
        if (reached == null && (count == listed.size() || count == 1)) {
            return new ComparedRange.Listing(listed);
        }
        return new ComparedRange.Parts(divider.parts(reached));
    }

    Walk walk(byte[] start, byte @Nullable [] end) {
        return new Walk(start, end, 1);
    }

    /**
     * The sums of this store's entries in the parts of a range that is no longer than a stretch.
     *
     * @param end the end of the last part, if that part has none
     */
    List<Sum> sums(byte[] start, List<Part> parts, byte @Nullable [] end) {
        byte @Nullable [] last = parts.getLast().end() == null ? end : parts.getLast().end();
        long[] sums = new long[parts.size()];
        int[] entries = new int[parts.size()];
        int at = 0;
        try (EntryCursor cursor = store.scan(start, last)) {
            while (cursor.next()) {
                Summary entry = summary(cursor);
                while (isPast(entry.key, parts.get(at).end())) {
                    at++;
                }
                if (counts(entry)) {
                    sums[at] += hash(entry);
                    entries[at]++;
                }
            }
        }
        return IntStream.range(0, sums.length).mapToObj(i -> new Sum(sums[i], entries[i])).toList();
    }

    private static boolean isPast(byte[] key, byte @Nullable [] end) {
        return end != null && Arrays.compareUnsigned(key, end) >= 0;
    }

    /** A range that is no longer than a stretch, divided by this store's own entries. */
    List<Part> divide(byte[] start, byte @Nullable [] end) {
        Divider divider = new Divider();
        forEach(start, end, entry -> divider.add(entry.key, hash(entry)));
        return divider.parts(null);
    }

    /** The entries of a range that is no longer than a stretch. */
    List<Listed> list(byte[] start, byte @Nullable [] end) {
        List<Listed> listed = new ArrayList<>();
        forEach(start, end, entry -> listed.add(entry.listed()));
        return listed;
    }

    private void forEach(byte[] start, byte @Nullable [] end, Consumer<Summary> each) {
        try (EntryCursor cursor = store.scan(start, end)) {
            while (cursor.next()) {
                Summary entry = summary(cursor);
                if (counts(entry)) {
                    each.accept(entry);
                }
            }
        }
    }

    private void count(byte[] key, int valueBytes) {
        bytesRead += key.length + valueBytes + (long) ENTRY_OVERHEAD_BYTES;
    }

    /** A walk over the entries of a range, which ends early if it takes too long. */
    final class Walk implements AutoCloseable {

        private final EntryCursor cursor;
        private final long startedNanos = ticker.nanos();
        private final long bytesBefore = bytesRead;
        private final int factor;
        private int entries;

        private byte @Nullable [] reached;

        private Walk(byte[] start, byte @Nullable [] end, int factor) {
            this.factor = factor;
            cursor = store.scan(start, end);
        }

        @Nullable Summary next() {
            if (!cursor.next()) {
                return null;
            }
            if (entries > 0 && isLong()) {
                reached = cursor.key();
                return null;
            }
            entries++;
            return summary(cursor);
        }

        /** The first key that was not read; null if the walk reached the end. */
        byte @Nullable [] reached() {
            return reached;
        }

        private boolean isLong() {
            return entries >= factor * MAX_ENTRIES
                    || bytesRead - bytesBefore >= factor * MAX_BYTES
                    || (entries % 64 == 0 && ticker.nanos() - startedNanos >= MAX_NANOS);
        }

        @Override
        public void close() {
            cursor.close();
        }
    }

    /**
     * Divides the entries of a range into a few parts with about the same number of entries, in one
     * pass and without knowing the total: when there are too many parts, neighbours are merged in
     * pairs, and from then on parts are twice as large.
     */
    private static final class Divider {

        private static final byte[] NOTHING = {};

        private final List<byte[]> starts = new ArrayList<>();
        private long[] sums = new long[PARTS];
        private int perPart = 1;
        private int inLast;
        private byte[] before = NOTHING;

        /** Adds the next entry, in ascending order of keys. */
        void add(byte[] key, long hash) {
            if (starts.isEmpty() || inLast == perPart) {
                if (starts.size() == PARTS) {
                    halve();
                }
                starts.add(starts.isEmpty() ? NOTHING : between(before, key));
                inLast = 0;
            }
            sums[starts.size() - 1] += hash;
            inLast++;
            before = key;
        }

        private void halve() {
            long[] halved = new long[PARTS];
            List<byte[]> kept = new ArrayList<>();
            for (int i = 0; i < PARTS; i += 2) {
                kept.add(starts.get(i));
                halved[i / 2] = sums[i] + sums[i + 1];
            }
            starts.clear();
            starts.addAll(kept);
            sums = halved;
            perPart *= 2;
        }

        /** The shortest key that is after {@code before} and not after {@code key}. */
        private static byte[] between(byte[] before, byte[] key) {
            return Arrays.copyOf(key, Arrays.mismatch(before, key) + 1);
        }

        /**
         * The parts, at least one.
         *
         * @param end the end of the last part
         */
        List<Part> parts(byte @Nullable [] end) {
            if (starts.isEmpty()) {
                return List.of(new Part(end, 0));
            }
            List<Part> parts = new ArrayList<>();
            for (int i = 0; i < starts.size(); i++) {
                parts.add(new Part(i + 1 < starts.size() ? starts.get(i + 1) : end, sums[i]));
            }
            return parts;
        }
    }
}
