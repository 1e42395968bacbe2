package dev.quorate.storage.memtable;

import dev.quorate.storage.Entry;
import dev.quorate.storage.EntryCursor;
import dev.quorate.storage.Timestamp;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The newest entry of each key that was written since the last flush. Written by one thread, read
 * by any number at the same time.
 *
 * <p>Entries have numbers, and are found in two ways: by the hash of their key, which is what a
 * look-up does, and in the order of their keys. An entry with a new key is in both before it is
 * counted, and what is not counted yet is not there to anybody: so a look-up and a scan never
 * disagree on what has been put.
 */
public final class Memtable {

    // Heap bytes on a 64-bit JVM with compressed references: a node of the skip list with a third
    // of a level above the first on average, the reference to its entry, and what is left over of
    // chunks; in the index its hash, and two to four words; the entry, its timestamp, and the two
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

    /** How many entries are there to readers: those with a smaller number. */
    private volatile int entries;

    /**
     * @param beginning with which most keys are expected to begin, such as the {@linkplain
     *     #commonBeginning common one} of the memtable before; empty for none. A wrong one costs
     *     time, never an answer
     */
    public Memtable(byte[] beginning) {
        this.list = new SkipList(byNumber, beginning.clone());
    }

    /** The bytes with which all keys begin; empty if there is no key. */
    public byte[] commonBeginning() {
        return list.commonBeginning();
    }

    /**
     * Keeps the newest of {@code entry} and what is held for its key, whatever order they came in.
     *
     * @param hash of the key. Which function makes it is the caller's choice, as long as it is the
     *     same for all calls; a bad one costs time, never an answer
     * @return the newest timestamp now held for the key
     */
    public Timestamp put(Entry entry, long hash) {
        int number = index.find(entry.key(), hash);
        if (number < 0) {
            // If the index knows that there is none, the list still has to tell where it goes.
            int node = list.find(entry.key());
            if (node == SkipList.NONE) {
                insert(entry, hash);
                return entry.timestamp();
            }
            number = list.number(node);
        }
        Entry held = byNumber.get(number);
        if (!entry.supersedes(held)) {
            return held.timestamp();
        }
        // The list goes on with the key array it has; a second one would be held for nothing.
        Entry replacement = withKey(held.key(), entry);
        byNumber.replace(number, replacement);
        int more = (entry.isTombstone() ? 1 : 0) - (held.isTombstone() ? 1 : 0);
        grow(heapBytes(replacement) - heapBytes(held), more);
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
        // A volatile store is worth twenty nanoseconds, and most of these would change nothing.
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
     * @param hash of the key, as it was {@link #put}
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
     * The entries from {@code start} (included) to {@code end} (not; null: no end). Sees every
     * entry that was put before this call, and may see later ones.
     */
    public EntryCursor scan(byte[] start, byte @Nullable [] end) {
        return new Cursor(start, end);
    }

    /** An estimate of the heap that the entries hold, with everything that holds them. */
    public long bytes() {
        return bytes;
    }

    public boolean isEmpty() {
        return entries == 0;
    }

    /** How many keys. */
    public int entries() {
        return entries;
    }

    /** How many of the entries are tombstones. */
    public int tombstones() {
        return tombstones;
    }

    private final class Cursor implements EntryCursor {
        private final byte @Nullable [] end;

        /** Where the walk goes on. */
        private int next;

        /** {@link #entries} as it was last seen. */
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
