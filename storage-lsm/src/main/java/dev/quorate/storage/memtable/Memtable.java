package dev.quorate.storage.memtable;

import dev.quorate.storage.Entry;
import dev.quorate.storage.EntryCursor;
import dev.quorate.storage.Timestamp;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The newest entry of each key written since the last flush, for one writer and any number of
 * concurrent readers.
 *
 * <p>Entries are numbered. Look-ups find them by the hash of their key, scans in key order. An
 * entry with a new key is in both indexes before it is counted, and readers ignore uncounted
 * entries, so look-ups and scans agree on the contents.
 */
public final class Memtable {

    // Heap bytes on a 64-bit JVM with compressed references: a node of the skip list with a third
    // of a level above the first on average, the reference to its entry, and unused ends of
    // chunks; in the index its hash and two to four words; the entry, its timestamp, and two
    // array headers.
    private static final int NODE_BYTES = 24;
    private static final int INDEX_BYTES = 16;
    private static final int ENTRY_BYTES = 40;
    private static final int TIMESTAMP_BYTES = 24;
    private static final int ARRAY_HEADER_BYTES = 16;

    private final Entries byNumber = new Entries();
    private final KeyIndex index = new KeyIndex(byNumber);
    private final SkipList list;
    private volatile long bytes;
    private volatile int tombstones;

    /** The number of visible entries: those with a smaller number. */
    private volatile int entries;

    /**
     * @param prefix the expected prefix of most keys, such as the {@linkplain #commonPrefix common
     *     prefix} of the previous memtable; empty if unknown. A wrong prefix costs time, not
     *     correctness
     */
    public Memtable(byte[] prefix) {
        this.list = new SkipList(byNumber, prefix.clone());
    }

    /** The longest common prefix of all keys; empty if there is no key. */
    public byte[] commonPrefix() {
        return list.commonPrefix();
    }

    /**
     * Stores {@code entry} unless it is superseded by the current entry of its key.
     *
     * @param hash of the key, by the same function in all calls. A bad hash costs time, not
     *     correctness
     * @return the newest timestamp of the key
     */
    public Timestamp put(Entry entry, long hash) {
        int number = index.find(entry.key(), hash);
        if (number < 0) {
            // Even if the index finds no entry, insertion needs the position in the list.
            int node = list.find(entry.key());
            if (node == SkipList.NONE) {
                insert(entry, hash);
                return entry.timestamp();
            }
            number = list.number(node);
        }
        Entry current = byNumber.get(number);
        if (!entry.supersedes(current)) {
            return current.timestamp();
        }
        // Reuses the key array of the superseded entry, so that only one is retained.
        Entry replacement = withKey(current.key(), entry);
        byNumber.replace(number, replacement);
        int more = (entry.isTombstone() ? 1 : 0) - (current.isTombstone() ? 1 : 0);
        grow(heapBytes(replacement) - heapBytes(current), more);
        return entry.timestamp();
    }

    @SuppressWarnings("NonAtomicVolatileUpdate") // One writer.
    private void insert(Entry entry, long hash) {
        int number = entries;
        byNumber.add(number, entry);
        index.add(number, hash);
        list.insert(number);
        entries++;
        grow(heapBytes(entry), entry.isTombstone() ? 1 : 0);
    }

    private static Entry withKey(byte[] key, Entry entry) {
        return entry.isTombstone()
                ? Entry.tombstone(key, entry.timestamp(), entry.from())
                : Entry.expiring(
                        key,
                        entry.timestamp(),
                        entry.value(),
                        entry.from(),
                        entry.expiresAtMillis());
    }

    @SuppressWarnings("NonAtomicVolatileUpdate") // One writer.
    private void grow(long byBytes, int byTombstones) {
        // A volatile store costs twenty nanoseconds, and most of these would not change the value.
        if (byBytes != 0) {
            bytes += byBytes;
        }
        if (byTombstones != 0) {
            tombstones += byTombstones;
        }
    }

    private static long heapBytes(Entry entry) {
        long value = entry.isTombstone() ? 0 : ARRAY_HEADER_BYTES + padded(entry.valueBytes());
        return NODE_BYTES
                + INDEX_BYTES
                + ENTRY_BYTES
                + TIMESTAMP_BYTES
                + ARRAY_HEADER_BYTES
                + padded(entry.key().length)
                + value;
    }

    private static long padded(int length) {
        return (length + 7L) & ~7L;
    }

    /**
     * The newest entry of a key, tombstone or not; null if there is none.
     *
     * @param hash of the key, as in {@link #put}
     */
    public @Nullable Entry get(byte[] key, long hash) {
        int number = index.find(key, hash);
        if (number == KeyIndex.UNKNOWN) {
            number = inList(key);
        }
        return number >= 0 && number < entries ? byNumber.get(number) : null;
    }

    private int inList(byte[] key) {
        int node = list.seek(key);
        if (node != SkipList.NONE) {
            int number = list.number(node);
            if (Arrays.equals(byNumber.get(number).key(), key)) {
                return number;
            }
        }
        return KeyIndex.ABSENT;
    }

    /**
     * The entries from {@code start} (inclusive) to {@code end} (exclusive; null if unbounded).
     * Includes every entry put before this call, and may include later ones.
     */
    public EntryCursor scan(byte[] start, byte @Nullable [] end) {
        return new Cursor(start, end);
    }

    /** An estimate of the heap size of the entries and both indexes, in bytes. */
    public long bytes() {
        return bytes;
    }

    public boolean isEmpty() {
        return entries == 0;
    }

    /** The number of entries, one for each key. */
    public int entries() {
        return entries;
    }

    /** The number of tombstones among the entries. */
    public int tombstones() {
        return tombstones;
    }

    private final class Cursor implements EntryCursor {
        private final byte @Nullable [] end;

        /** The next node. */
        private int next;

        /** The last value read from {@link #entries}. */
        private int counted;

        private @Nullable Entry current;

        Cursor(byte[] start, byte @Nullable [] end) {
            this.end = end;
            this.next = list.seek(start);
        }

        @Override
        public boolean next() {
            current = null;
            while (next != SkipList.NONE) {
                int number = list.number(next);
                Entry entry = byNumber.get(number);
                if (end != null && Arrays.compareUnsigned(entry.key(), end) >= 0) {
                    next = SkipList.NONE;
                    return false;
                }
                next = list.next(next);
                if (isCounted(number)) {
                    current = entry;
                    return true;
                }
            }
            return false;
        }

        private boolean isCounted(int number) {
            if (number >= counted) {
                counted = entries;
            }
            return number < counted;
        }

        @Override
        public Entry entry() {
            if (current == null) {
                throw new IllegalStateException("not on an entry");
            }
            return current;
        }

        @Override
        public void close() {}
    }
}
