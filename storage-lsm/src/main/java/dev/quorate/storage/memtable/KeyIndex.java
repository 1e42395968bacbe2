package dev.quorate.storage.memtable;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Arrays;

/**
 * Maps hashes of keys to the numbers of their entries, for one writer and any number of wait-free
 * readers: a hash table with linear probing, at most half full.
 *
 * <pre>
 * word:  low bits (as many as an index into the table has): the number + 1;
 *        high bits: those of the hash. Zero: free.
 * </pre>
 *
 * <p>The low bits of the hash are the index of a word's home, so a match compares all 32 bits and a
 * search reads hardly any other key.
 *
 * <p>An attacker may choose keys with colliding hashes, so no probe sequence exceeds {@link
 * #MAX_PROBES} words. An entry that finds no free word within them is omitted, and a search that
 * finds none returns {@link #UNKNOWN}: with a good hash, less than one search in a hundred in the
 * fullest table. A secret seed would also protect, but would need a source of randomness and a hash
 * other than that of the tables.
 *
 * <p>Thread safety: a word is stored once (release), after its entry, and never removed, so a
 * reader that finds a free word (acquire) can conclude that the key was absent when it read the
 * word. A larger table is complete before it is published; a reader of the previous table misses
 * only entries added after its search began.
 *
 * <p>The table is split into chunks because large arrays burden the garbage collector.
 */
final class KeyIndex {

    /** Instead of a number: no entry has the key. */
    static final int ABSENT = -1;

    /** Instead of a number: an entry may have the key. */
    static final int UNKNOWN = -2;

    /** 16 words of 4 bytes span one or two cache lines. */
    static final int MAX_PROBES = 16;

    private static final int CHUNK_SHIFT = 12;
    private static final int CHUNK_INTS = 1 << CHUNK_SHIFT;
    private static final int CHUNK_MASK = CHUNK_INTS - 1;
    private static final int MAX_WORDS = 1 << 30;

    private static final VarHandle INTS = MethodHandles.arrayElementVarHandle(int[].class);

    private final Entries entries;
    private volatile int[][] table = {new int[CHUNK_INTS]};

    /** Indexed by number, so that growing the table reads no keys. Used by the writer alone. */
    private int[][] hashes = {new int[CHUNK_INTS]};

    KeyIndex(Entries entries) {
        this.entries = entries;
    }

    /** The number of the entry with this key, {@link #ABSENT} or {@link #UNKNOWN}. */
    int find(byte[] key, long hash) {
        int[][] words = table;
        int mask = (words.length << CHUNK_SHIFT) - 1;
        int home = (int) hash;
        for (int probe = 0; probe < MAX_PROBES; probe++) {
            int at = (home + probe) & mask;
            int word = (int) INTS.getAcquire(words[at >>> CHUNK_SHIFT], at & CHUNK_MASK);
            if (word == 0) {
                return ABSENT;
            }
            if (((word ^ home) & ~mask) == 0) {
                int number = (word & mask) - 1;
                if (Arrays.equals(entries.get(number).key(), key)) {
                    return number;
                }
            }
        }
        return UNKNOWN;
    }

    /**
     * Writer only: adds {@code number}, the one after the last, whose entry is already stored and
     * whose key is not yet indexed.
     */
    void add(int number, long hash) {
        storeHash(number, (int) hash);
        int[][] words = table;
        if (number < words.length << (CHUNK_SHIFT - 1)) {
            place(words, number, (int) hash);
        } else {
            table = grown(2 * words.length, number);
        }
    }

    private void storeHash(int number, int hash) {
        int chunk = number >>> CHUNK_SHIFT;
        if ((number & CHUNK_MASK) == 0 && chunk > 0) {
            if (chunk == hashes.length) {
                hashes = Arrays.copyOf(hashes, 2 * chunk);
            }
            hashes[chunk] = new int[CHUNK_INTS];
        }
        hashes[chunk][number & CHUNK_MASK] = hash;
    }

    /** A table of {@code chunks} chunks with all numbers up to {@code last}. */
    private int[][] grown(int chunks, int last) {
        if (chunks > MAX_WORDS >>> CHUNK_SHIFT) {
            throw new IllegalStateException("more entries than a memtable can hold");
        }
        int[][] words = new int[chunks][CHUNK_INTS];
        for (int number = 0; number <= last; number++) {
            place(words, number, hashes[number >>> CHUNK_SHIFT][number & CHUNK_MASK]);
        }
        return words;
    }

    private static void place(int[][] words, int number, int hash) {
        int mask = (words.length << CHUNK_SHIFT) - 1;
        for (int probe = 0; probe < MAX_PROBES; probe++) {
            int at = (hash + probe) & mask;
            int[] chunk = words[at >>> CHUNK_SHIFT];
            if (chunk[at & CHUNK_MASK] == 0) {
                INTS.setRelease(chunk, at & CHUNK_MASK, (hash & ~mask) | (number + 1));
                return;
            }
        }
    }
}
