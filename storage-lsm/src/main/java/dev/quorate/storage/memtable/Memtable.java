package dev.quorate.storage.memtable;

import dev.quorate.storage.Entry;
import dev.quorate.storage.EntryCursor;
import dev.quorate.storage.KeyOrder;
import dev.quorate.storage.Timestamp;
import dev.quorate.storage.UnreadValue;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The newest entry of each key written since the last flush, for one writer and any number of
 * concurrent readers.
 *
 * <p>Look-ups find entries by the hash of their key, scans in key order. An entry with a new key is
 * in both indexes before it is visible, and readers ignore entries that are not, so look-ups and
 * scans agree on the contents.
 *
 * <p>Entries and indexes are outside the Java heap, and a read copies its result. The creator of a
 * memtable closes it, after the last read. The first put allocates the memory.
 */
public final class Memtable implements AutoCloseable {

    /** Stands for an entry that was not read; compared by identity. */
    public static final Entry TOO_LONG = Records.TOO_LONG;

    private final MemtableArena arena;
    private final Records records;
    private final KeyIndex index;
    private final SkipList list;
    private volatile long bytes;
    private volatile int tombstones;
    private volatile int entries;

    /**
     * @param prefixes the expected prefixes of most keys, such as the {@linkplain #commonPrefixes
     *     common ones} of the previous memtable
     * @param expectedEntries the expected number of entries, such as that of the previous memtable;
     *     0 if unknown. A wrong number costs time and space
     */
    public Memtable(MemtableMemory memory, KeyPrefixes prefixes, int expectedEntries) {
        this.arena = new MemtableArena(memory);
        this.records = new Records(arena);
        this.index = new KeyIndex(arena, records, expectedEntries);
        this.list = new SkipList(arena, records, prefixes);
    }

    /** The longest common prefixes of the keys; the shortest possible if no key exists. */
    public KeyPrefixes commonPrefixes() {
        return list.commonPrefixes();
    }

    /**
     * Stores {@code entry} unless it is superseded by the current entry of its key.
     *
     * @param hash the key's hash, by the same function in all calls. A bad hash costs time, not
     *     correctness
     * @return the newest timestamp of the key
     * @throws dev.quorate.storage.StorageException.Overloaded if memory for the entry is missing;
     *     then the contents are unchanged
     */
    public Timestamp put(Entry entry, long hash) {
        int record = index.find(entry.key(), hash);
        if (record == KeyIndex.ABSENT || record == KeyIndex.UNKNOWN) {
            // Even if the index finds no entry, insertion needs the position in the list.
            int node = list.find(entry.key());
            if (node == SkipList.NONE) {
                insert(entry, hash);
                return entry.timestamp();
            }
            record = list.record(node);
        }
        if (records.compareAge(entry, record) <= 0) {
            return records.timestampOf(record);
        }
        boolean wasTombstone = records.isTombstone(record);
        records.replace(record, entry);
        grow((entry.isTombstone() ? 1 : 0) - (wasTombstone ? 1 : 0));
        return entry.timestamp();
    }

    @SuppressWarnings("NonAtomicVolatileUpdate") // One writer.
    private void insert(Entry entry, long hash) {
        // Reservations, which may fail for lack of memory, precede all changes. The list is first:
        // its first node is the arena's first block.
        list.reserve();
        index.reserve();
        int record = records.add(entry);
        index.add(record, hash);
        list.insert(record, entry.key());
        records.publish(record);
        entries++;
        grow(entry.isTombstone() ? 1 : 0);
    }

    @SuppressWarnings("NonAtomicVolatileUpdate") // One writer.
    private void grow(int byTombstones) {
        // A volatile store costs 20 ns, and most calls would not change the value.
        long used = arena.usedBytes();
        if (used != bytes) {
            bytes = used;
        }
        if (byTombstones != 0) {
            tombstones += byTombstones;
        }
    }

    /**
     * The newest entry of a key, possibly a tombstone; null if none exists. The key of the entry is
     * {@code key} itself.
     *
     * @param hash the key's hash, as in {@link #put}
     */
    public @Nullable Entry get(byte[] key, long hash) {
        return get(key, hash, Entry.MAX_VALUE_BYTES);
    }

    /**
     * The same, or {@link #TOO_LONG} if its value is longer than {@code maxValueBytes}.
     *
     * @param hash the key's hash, as in {@link #put}
     */
    public @Nullable Entry get(byte[] key, long hash, int maxValueBytes) {
        int record = index.find(key, hash);
        if (record == KeyIndex.UNKNOWN) {
            record = inList(key);
        }
        return record == KeyIndex.ABSENT ? null : records.read(record, key, maxValueBytes);
    }

    /**
     * Whether {@link #noteNewest} was called for the key. An entry that was read before this call
     * may be older than the one that was noted.
     *
     * @param hash the key's hash, as in {@link #put}
     */
    public boolean isNewest(byte[] key, long hash) {
        int record = index.find(key, hash);
        return record != KeyIndex.ABSENT && record != KeyIndex.UNKNOWN && records.isNewest(record);
    }

    /**
     * Notes that the memtable's entry of a key is the newest of the store, unless {@code newest}
     * supersedes it. Later entries of the key can only be in this memtable or in a later one.
     *
     * @param hash the key's hash, as in {@link #put}
     * @param newest the newest entry in this memtable, earlier ones and all tables
     */
    public void noteNewest(byte[] key, long hash, Entry newest) {
        int record = index.find(key, hash);
        if (record == KeyIndex.ABSENT || record == KeyIndex.UNKNOWN) {
            return;
        }
        Entry current = records.read(record, key);
        if (current != null && !newest.supersedes(current)) {
            records.noteNewest(record);
        }
    }

    private int inList(byte[] key) {
        int node = list.seek(key);
        if (node != SkipList.NONE) {
            int record = list.record(node);
            if (records.hasKey(record, key)) {
                return record;
            }
        }
        return KeyIndex.ABSENT;
    }

    /**
     * The entries from {@code start} (inclusive) to {@code end} (exclusive; null if unbounded).
     * Includes every entry put before this call, and may include later ones. The memtable must
     * remain open while the cursor is used.
     */
    public EntryCursor scan(byte[] start, byte @Nullable [] end) {
        return scan(start, end, KeyOrder.ASCENDING);
    }

    /** The same in the given order of keys. */
    public EntryCursor scan(byte[] start, byte @Nullable [] end, KeyOrder order) {
        return new Cursor(start, end, order);
    }

    /**
     * The bytes of the keys and values from {@code start} (inclusive) to {@code end} (exclusive;
     * null if unbounded).
     */
    public long bytesBetween(byte[] start, byte @Nullable [] end) {
        long total = 0;
        for (int node = list.seek(start); node != SkipList.NONE; node = list.next(node)) {
            int record = list.record(node);
            if (end != null && records.compareKey(record, end) >= 0) {
                break;
            }
            if (records.isVisible(record)) {
                total += records.keyLength(record) + records.valueBytes(record);
            }
        }
        return total;
    }

    /**
     * The memory in use: entries, both indexes, and space that is free for reuse or unusable. Less
     * than {@link #allocatedBytes} by the unused ends of the last chunks.
     */
    public long bytes() {
        return bytes;
    }

    /** Bytes that closing frees. */
    public long allocatedBytes() {
        return arena.allocatedBytes();
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

    /**
     * Counts the memory as used by readers alone, until it is closed. Call once the memtable is
     * flushed and its owner has released it.
     */
    public void pin() {
        arena.pin();
    }

    /** Frees the memory. Counters may still be read. */
    @Override
    public void close() {
        arena.close();
    }

    /** Copies a long value only on demand: a merge has one in memory, not one for each cursor. */
    private final class Cursor implements EntryCursor {
        private final byte[] start;
        private final byte @Nullable [] end;
        private final boolean ascends;

        private int next;

        private @Nullable Entry current;

        // The current entry, if its value is long and not yet read.
        private int unread;
        private byte @Nullable [] unreadKey;
        private @Nullable Timestamp unreadTimestamp;

        Cursor(byte[] start, byte @Nullable [] end, KeyOrder order) {
            this.start = start;
            this.end = end;
            this.ascends = order == KeyOrder.ASCENDING;
            this.next = ascends ? list.seek(start) : list.seekBefore(end);
        }

        @Override
        public boolean next() {
            current = null;
            unreadKey = null;
            while (next != SkipList.NONE) {
                int record = list.record(next);
                if (isBeyond(record)) {
                    next = SkipList.NONE;
                    return false;
                }
                next = ascends ? list.next(next) : list.seekBefore(records.key(record));
                if (moveTo(record)) {
                    return true;
                }
            }
            return false;
        }

        private boolean isBeyond(int record) {
            return ascends
                    ? end != null && records.compareKey(record, end) >= 0
                    : records.compareKey(record, start) < 0;
        }

        /** False if the record is not yet visible. */
        private boolean moveTo(int record) {
            if (records.valueBytes(record) < UnreadValue.MIN_BYTES) {
                current = records.read(record, records.key(record));
                return current != null;
            }
            unread = record;
            unreadKey = records.key(record);
            unreadTimestamp = records.timestampOf(record);
            return true;
        }

        @Override
        public Entry entry() {
            if (current == null) {
                if (unreadKey == null) {
                    throw new IllegalStateException("not on an entry");
                }
                current = Objects.requireNonNull(records.read(unread, unreadKey));
            }
            return current;
        }

        @Override
        public byte[] key() {
            return unreadKey == null ? entry().key() : unreadKey;
        }

        /** The timestamp from when the cursor moved here, so that a merge remains in order. */
        @Override
        public Timestamp timestamp() {
            return unreadKey == null || unreadTimestamp == null
                    ? entry().timestamp()
                    : unreadTimestamp;
        }

        @Override
        public @Nullable UnreadValue unreadValue() {
            return current == null && unreadKey != null ? records.unreadValue(unread) : null;
        }

        @Override
        public void close() {}
    }
}
