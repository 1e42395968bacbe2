package dev.quorate.storage.memtable;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Arrays;

/**
 * The numbers of entries by the hashes of their keys, for one writer and any number of readers, who
 * never wait: a hash table with linear probing, at most half full.
 *
 * <pre>
 * word:  the low bits, as many as tell a place in the table from another: a number + 1;
 *        the others: those of the hash. All zero: free.
 * </pre>
 *
 * <p>The low bits of the hash are where a word belongs, so that all of its 32 bits count: of keys
 * that are not the one sought, hardly any is looked at.
 *
 * <p>Keys may have been chosen so that their hashes are alike. So nothing goes further than {@link
 * #MAX_PROBES} words. An entry that finds no free word that near is left out, and a search that
 * meets none there knows nothing, and says so. (With a hash as it should be, that is less than one
 * search in a hundred when the table is at its fullest. A secret seed would guard as well, but then
 * tables would want another hash of the key than this, and the seed would want a source.)
 *
 * <p>Why readers are safe: a word is stored once (release), after its entry; nothing is ever taken
 * out, and so whoever meets a free word (acquire) knows that the key was not there when it was
 * read. A larger table is whole before it is published; who still reads the one before misses only
 * what was added after this one began to read.
 *
 * <p>The table is cut into chunks, for a large array is what a garbage collector likes least.
 */
final class KeyIndex {

    /** In the place of a number: no entry has the key. */
    static final int ABSENT = -1;

    /** In the place of a number: perhaps an entry has the key. */
    static final int UNKNOWN = -2;

    /** 16 words of 4 bytes are one or two cache lines. */
    static final int MAX_PROBES = 16;

    private static final int CHUNK_SHIFT = 12;
    private static final int CHUNK_INTS = 1 << CHUNK_SHIFT;
    private static final int CHUNK_MASK = CHUNK_INTS - 1;
    private static final int MAX_WORDS = 1 << 30;

    private static final VarHandle INTS = MethodHandles.arrayElementVarHandle(int[].class);

    private final Entries entries;
    private volatile int[][] table = {new int[CHUNK_INTS]};

    /** By number, so that growing looks at no key. Of the writer alone. */
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
     * For the writer: adds {@code number}, the one after the last, whose entry is there already and
     * whose key this does not have.
     */
    void add(int number, long hash) {
        keepHash(number, (int) hash);
        int[][] words = table;
        if (number < words.length << (CHUNK_SHIFT - 1)) {
            place(words, number, (int) hash);
        } else {
            table = grown(2 * words.length, number);
        }
    }

    private void keepHash(int number, int hash) {
        int chunk = number >>> CHUNK_SHIFT;
        if ((number & CHUNK_MASK) == 0 && chunk > 0) {
            if (chunk == hashes.length) {
                hashes = Arrays.copyOf(hashes, 2 * chunk);
            }
            hashes[chunk] = new int[CHUNK_INTS];
        }
        hashes[chunk][number & CHUNK_MASK] = hash;
    }

    /** A table of so many chunks with all numbers up to {@code last}. */
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
