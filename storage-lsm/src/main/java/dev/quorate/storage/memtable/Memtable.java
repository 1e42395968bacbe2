package dev.quorate.storage.memtable;

import dev.quorate.storage.Entry;
import dev.quorate.storage.EntryCursor;
import dev.quorate.storage.Timestamp;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The newest entry of each key that was written since the last flush. Written by one thread, read
 * by any number at the same time.
 */
public final class Memtable {

    // Heap bytes on a 64-bit JVM with compressed references: a node of the skip list with a third
    // of a level above the first on average, the reference to its entry, and what is left over of
    // chunks; the entry, its timestamp, and the two array headers.
    private static final int NODE_BYTES = 24;
    private static final int ENTRY_BYTES = 40;
    private static final int TIMESTAMP_BYTES = 24;
    private static final int ARRAY_HEADER_BYTES = 16;

    private final SkipList list = new SkipList();
    private volatile long bytes;
    private volatile int entries;
    private volatile int tombstones;

    /**
     * Keeps the newest of {@code entry} and what is held for its key, whatever order they came in.
     *
     * @return the newest timestamp now held for the key
     */
    public Timestamp put(Entry entry) {
        int node = list.find(entry.key());
        if (node == SkipList.NONE) {
            list.insert(entry);
            grow(heapBytes(entry), 1, entry.isTombstone() ? 1 : 0);
            return entry.timestamp();
        }
        Entry held = list.entry(node);
        if (!entry.supersedes(held)) {
            return held.timestamp();
        }
        // The list goes on with the key array it has; a second one would be held for nothing.
        Entry replacement = withKey(held.key(), entry);
        list.replace(node, replacement);
        int more = (entry.isTombstone() ? 1 : 0) - (held.isTombstone() ? 1 : 0);
        grow(heapBytes(replacement) - heapBytes(held), 0, more);
        return entry.timestamp();
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
    private void grow(long byBytes, int byEntries, int byTombstones) {
        bytes += byBytes;
        entries += byEntries;
        tombstones += byTombstones;
    }

    private static long heapBytes(Entry entry) {
        long value = entry.isTombstone() ? 0 : ARRAY_HEADER_BYTES + padded(entry.valueBytes());
        return NODE_BYTES
                + ENTRY_BYTES
                + TIMESTAMP_BYTES
                + ARRAY_HEADER_BYTES
                + padded(entry.key().length)
                + value;
    }

    private static long padded(int length) {
        return (length + 7L) & ~7L;
    }

    /** The newest entry of a key, tombstone or not; null if there is none. */
    public @Nullable Entry get(byte[] key) {
        return list.get(key);
    }

    /**
     * The entries from {@code start} (included) to {@code end} (not; null: no end). Sees every
     * entry that was put before this call, and may see later ones.
     */
    public EntryCursor scan(byte[] start, byte @Nullable [] end) {
        return new Cursor(list, start, end);
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

    private static final class Cursor implements EntryCursor {
        private final SkipList list;
        private final byte @Nullable [] end;

        /** Where the walk goes on. */
        private int next;

        private @Nullable Entry current;

        Cursor(SkipList list, byte[] start, byte @Nullable [] end) {
            this.list = list;
            this.end = end;
            this.next = list.seek(start);
        }

        @Override
        public boolean next() {
            current = null;
            if (next == SkipList.NONE) {
                return false;
            }
            Entry entry = list.entry(next);
            if (end != null && Arrays.compareUnsigned(entry.key(), end) >= 0) {
                next = SkipList.NONE;
                return false;
            }
            current = entry;
            next = list.next(next);
            return true;
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
