package dev.quorate.storage.memtable;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Maps hashes of keys to the records of their entries, for one writer and any number of wait-free
 * readers: a hash table with linear probing, at most half full.
 *
 * <pre>
 * word:  high 32 bits: the low 32 bits of the hash
 *        low 32 bits:  the reference to the record
 *        zero:         free
 * </pre>
 *
 * <p>A match compares 32 bits of the hash, so a search reads hardly any other key.
 *
 * <p>An attacker may choose keys with colliding hashes, so no probe sequence exceeds {@link
 * #MAX_PROBES} words. An entry that finds no free word within them is omitted, and a search that
 * finds none returns {@link #UNKNOWN}: with a good hash, less than one search in a hundred in the
 * fullest table. A secret seed would also protect, but would need a source of randomness and a hash
 * other than that of the tables.
 *
 * <p>Thread safety: a word is stored once (release), after its record, and never removed, so a
 * reader that finds a free word (acquire) can conclude that the key was absent when it read the
 * word. A larger table is complete before it is published; a reader of the previous table misses
 * only entries added after its search began.
 *
 * <p>The previous table remains allocated, because a reader may use it. To limit their number, the
 * table grows fourfold while it is small, and then to the size that the previous memtable needed.
 */
final class KeyIndex {

    /** Returned instead of a reference: no entry has the key. */
    static final int ABSENT = 0;

    /** Returned instead of a reference: an entry may have the key. */
    static final int UNKNOWN = -1;

    /** 16 words of 8 bytes span two or three cache lines. */
    static final int MAX_PROBES = 16;

    private static final long WORD_BYTES = Long.BYTES;
    private static final int MIN_WORDS = 64;
    private static final int SMALL_WORDS = 4096;

    /** Maximum growth factor of a table, if many entries are expected. */
    private static final int MAX_GROWTH = 16;

    private static final long MAX_WORDS = 1L << 30;

    private static final VarHandle WORD = ValueLayout.JAVA_LONG.varHandle();

    private final MemtableArena arena;
    private final Records records;
    private final long expectedWords;
    private volatile @Nullable MemorySegment table;

    // Used by the writer alone.
    private int entries;

    /** Words that found no place; the next larger table may have one. */
    private long[] omitted = {};

    private int omittedCount;

    /**
     * @param expectedEntries the expected number of entries; a wrong number costs time and space
     */
    KeyIndex(MemtableArena arena, Records records, int expectedEntries) {
        this.arena = arena;
        this.records = records;
        this.expectedWords = Math.min(MAX_WORDS, Long.highestOneBit(4L * expectedEntries));
    }

    /** The record of this key, {@link #ABSENT} or {@link #UNKNOWN}. */
    int find(byte[] key, long hash) {
        MemorySegment words = table;
        if (words == null) {
            return ABSENT;
        }
        long mask = mask(words);
        long home = home((int) hash);
        for (int probe = 0; probe < MAX_PROBES; probe++) {
            long word = (long) WORD.getAcquire(words, (home + WORD_BYTES * probe) & mask);
            if (word == 0) {
                return ABSENT;
            }
            if ((int) (word >>> Integer.SIZE) == (int) hash && records.hasKey((int) word, key)) {
                return (int) word;
            }
        }
        return UNKNOWN;
    }

    /** The offset of the first word to probe, before the {@link #mask}. */
    private static long home(int hash) {
        return (hash & 0xFFFF_FFFFL) << 3;
    }

    /** The mask of offsets in a table. */
    private static long mask(MemorySegment words) {
        return words.byteSize() - Long.BYTES;
    }

    /**
     * Writer only: makes room for another entry.
     *
     * @throws dev.quorate.storage.StorageException.Overloaded if memory for it is missing
     */
    void reserve() {
        MemorySegment words = table;
        long size = words == null ? 0 : words.byteSize() / Long.BYTES;
        if (entries < size / 2) {
            return;
        }
        long grown = Math.max(MIN_WORDS, size < SMALL_WORDS ? 4 * size : 2 * size);
        if (size > 0) {
            grown = Math.max(grown, Math.min(expectedWords, MAX_GROWTH * size));
        }
        if (grown > MAX_WORDS) {
            throw new IllegalStateException("more entries than a memtable can hold");
        }
        MemorySegment larger = arena.allocateUsed(grown * Long.BYTES);
        long[] unplaced = omitted;
        int unplacedCount = omittedCount;
        omittedCount = 0;
        for (int i = 0; i < unplacedCount; i++) {
            place(larger, unplaced[i]);
        }
        for (long at = 0; at < size * Long.BYTES; at += Long.BYTES) {
            long word = (long) WORD.get(words, at);
            if (word != 0) {
                place(larger, word);
            }
        }
        table = larger;
    }

    /**
     * Writer only: adds {@code record}, which is complete and whose key is not yet indexed, after
     * {@link #reserve}.
     */
    void add(int record, long hash) {
        MemorySegment words = table;
        if (words == null) {
            throw new IllegalStateException("no room is reserved");
        }
        entries++;
        place(words, (hash << Integer.SIZE) | (record & 0xFFFF_FFFFL));
    }

    private void place(MemorySegment words, long word) {
        long mask = mask(words);
        long home = home((int) (word >>> Integer.SIZE));
        for (int probe = 0; probe < MAX_PROBES; probe++) {
            long at = (home + WORD_BYTES * probe) & mask;
            if ((long) WORD.get(words, at) == 0) {
                WORD.setRelease(words, at, word);
                return;
            }
        }
        if (omittedCount == omitted.length) {
            omitted = Arrays.copyOf(omitted, Math.max(16, 2 * omittedCount));
        }
        omitted[omittedCount++] = word;
    }
}
