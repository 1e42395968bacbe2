package dev.quorate.storage.memtable;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;

/**
 * The numbers of entries in the order of their keys, for one writer and any number of readers, who
 * never wait. The structure is that of Pugh, <i>Skip Lists: A Probabilistic Alternative to Balanced
 * Trees</i> (1990).
 *
 * <p>A node is a few numbers in a large array, with eight bytes of its key among them, so that a
 * search meets a cache line for each node and hardly ever the key itself. The JDK's skip list,
 * which this replaces, follows three references for each; in a memtable of 16 MiB a write spent 3.3
 * microseconds there. For the garbage collector a node is nothing at all.
 *
 * <p>The first eight bytes of a key say little where all keys begin alike, as those of users do. So
 * a list expects a beginning, and a head is the eight bytes behind it. Of keys that begin otherwise
 * the head says only that they come before all these, or after them.
 *
 * <pre>
 * node:  0  number  of its entry
 *        1  head    8 bytes of its key behind the beginning, big-endian, zeros behind a shorter
 *                   one; of another key that is smaller all zeros, and that is larger all ones
 *        3  next    the node after it, for each level that it has; 0 if there is none
 * </pre>
 *
 * <p>A node's name is its place, chunk and offset; the one at place 0 stands before all. Why
 * readers are safe: a node is whole, and so are the chunks it needs, before the first link to it is
 * stored (release), and they come to it by a link only (acquire). Nothing is ever unlinked.
 */
final class SkipList {

    /** What stands before all entries, and after them. */
    static final int NONE = 0;

    private static final int MAX_LEVELS = 12;
    private static final int LEVEL_BITS = 2;

    private static final int HEAD = 1;
    private static final int NEXT = 3;

    private static final int CHUNK_SHIFT = 12;
    private static final int CHUNK_INTS = 1 << CHUNK_SHIFT;
    private static final int CHUNK_MASK = CHUNK_INTS - 1;

    private static final VarHandle INTS = MethodHandles.arrayElementVarHandle(int[].class);
    private static final VarHandle KEY_LONG =
            MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);

    private static final long LOWEST_HEAD = 0;
    private static final long HIGHEST_HEAD = -1;

    private final Entries entries;
    private final byte[] beginning;
    private volatile int[][] nodes = {new int[CHUNK_INTS]};
    private volatile int levels = 1;

    // Of the writer alone.
    private final int[] before = new int[MAX_LEVELS];
    private int nodesEnd = NEXT + MAX_LEVELS;
    private long random = 0x9E3779B97F4A7C15L;

    /**
     * @param beginning with which most keys are expected to begin. Another costs time, never an
     *     answer
     */
    SkipList(Entries entries, byte[] beginning) {
        this.entries = entries;
        this.beginning = beginning;
    }

    /** With which all keys begin; empty if there are none. */
    byte[] commonBeginning() {
        int first = next(NONE);
        if (first == NONE) {
            return new byte[0];
        }
        byte[] least = entries.get(number(first)).key();
        byte[] greatest = entries.get(number(last())).key();
        int differ = Arrays.mismatch(least, greatest);
        return differ < 0 ? least.clone() : Arrays.copyOf(least, differ);
    }

    /** The last node, or {@link #NONE}. */
    private int last() {
        int at = NONE;
        for (int level = levels - 1; level >= 0; level--) {
            for (int next = next(at, level); next != NONE; next = next(at, level)) {
                at = next;
            }
        }
        return at;
    }

    /** The first node whose key is not before {@code key}, or {@link #NONE}. */
    int seek(byte[] key) {
        long head = head(key);
        int at = NONE;
        int after = NONE;
        for (int level = levels - 1; level >= 0; level--) {
            int next = next(at, level);
            while (next != after) {
                if (compare(next, head, key) >= 0) {
                    after = next;
                    break;
                }
                at = next;
                next = next(at, level);
            }
        }
        return after;
    }

    /** The node after this one, or {@link #NONE}. */
    int next(int node) {
        return next(node, 0);
    }

    /** The number of a node's entry. */
    int number(int node) {
        return nodes[node >>> CHUNK_SHIFT][node & CHUNK_MASK];
    }

    /**
     * For the writer: the node of a key, or {@link #NONE}; then an entry of the key may be {@link
     * #insert inserted} next.
     */
    int find(byte[] key) {
        long head = head(key);
        int at = NONE;
        int after = NONE;
        for (int level = levels - 1; level >= 0; level--) {
            int next = next(at, level);
            while (next != after) {
                int order = compare(next, head, key);
                if (order == 0) {
                    return next;
                }
                if (order > 0) {
                    after = next;
                    break;
                }
                at = next;
                next = next(at, level);
            }
            before[level] = at;
        }
        return NONE;
    }

    /** For the writer: adds the number of an entry for whose key {@link #find} has found none. */
    void insert(int number) {
        int height = randomHeight();
        int node = newNode(NEXT + height);
        int[] chunk = nodes[node >>> CHUNK_SHIFT];
        int offset = node & CHUNK_MASK;
        long head = head(entries.get(number).key());
        chunk[offset] = number;
        chunk[offset + HEAD] = (int) (head >>> Integer.SIZE);
        chunk[offset + HEAD + 1] = (int) head;
        for (int level = levels; level < height; level++) {
            before[level] = NONE;
        }
        for (int level = 0; level < height; level++) {
            chunk[offset + NEXT + level] = next(before[level], level);
        }
        // From below: whoever finds it on a level finds it on those below.
        for (int level = 0; level < height; level++) {
            int previous = before[level];
            int[] linking = nodes[previous >>> CHUNK_SHIFT];
            INTS.setRelease(linking, (previous & CHUNK_MASK) + NEXT + level, node);
        }
        if (height > levels) {
            levels = height;
        }
    }

    /** One node in four has one level more. Heights must not depend on keys: these are chosen. */
    private int randomHeight() {
        random ^= random << 13;
        random ^= random >>> 7;
        random ^= random << 17;
        int zeros = Long.numberOfTrailingZeros((random >>> Integer.SIZE) | (1L << 31));
        return Math.min(MAX_LEVELS, 1 + zeros / LEVEL_BITS);
    }

    private int newNode(int ints) {
        if ((nodesEnd & CHUNK_MASK) + ints > CHUNK_INTS || (nodesEnd & CHUNK_MASK) == 0) {
            int chunk = (nodesEnd + CHUNK_MASK) >>> CHUNK_SHIFT;
            if (chunk == 1 << (Integer.SIZE - CHUNK_SHIFT)) {
                throw new IllegalStateException("more entries than a memtable can hold");
            }
            int[][] chunks = nodes;
            if (chunk == chunks.length) {
                chunks = Arrays.copyOf(chunks, 2 * chunk);
            }
            chunks[chunk] = new int[CHUNK_INTS];
            nodes = chunks;
            nodesEnd = chunk << CHUNK_SHIFT;
        }
        int node = nodesEnd;
        nodesEnd += ints;
        return node;
    }

    private int next(int node, int level) {
        int[] chunk = nodes[node >>> CHUNK_SHIFT];
        return (int) INTS.getAcquire(chunk, (node & CHUNK_MASK) + NEXT + level);
    }

    /** The order of a node's key to {@code key}, which begins with {@code head}. */
    private int compare(int node, long head, byte[] key) {
        int[] chunk = nodes[node >>> CHUNK_SHIFT];
        int offset = (node & CHUNK_MASK) + HEAD;
        long ours = (long) chunk[offset] << Integer.SIZE | (chunk[offset + 1] & 0xFFFF_FFFFL);
        return ours == head
                ? compareKeys(entries.get(number(node)).key(), key)
                : Long.compareUnsigned(ours, head);
    }

    private static int compareKeys(byte[] one, byte[] other) {
        int common = Math.min(one.length, other.length);
        int i = 0;
        // Plain code: what Arrays offers calls vector code, which costs short keys more.
        for (; i + Long.BYTES <= common; i += Long.BYTES) {
            long x = (long) KEY_LONG.get(one, i);
            long y = (long) KEY_LONG.get(other, i);
            if (x != y) {
                return Long.compareUnsigned(x, y);
            }
        }
        for (; i < common; i++) {
            if (one[i] != other[i]) {
                return Byte.compareUnsigned(one[i], other[i]);
            }
        }
        return Integer.compare(one.length, other.length);
    }

    /** Keys in order have heads in order, or the same. */
    private long head(byte[] key) {
        int skipped = beginning.length;
        int differs = Arrays.mismatch(key, 0, Math.min(key.length, skipped), beginning, 0, skipped);
        if (differs >= 0) {
            boolean isLess =
                    differs == key.length
                            || Byte.compareUnsigned(key[differs], beginning[differs]) < 0;
            return isLess ? LOWEST_HEAD : HIGHEST_HEAD;
        }
        if (key.length - skipped >= Long.BYTES) {
            return (long) KEY_LONG.get(key, skipped);
        }
        long head = 0;
        for (int i = skipped; i < key.length; i++) {
            head |= (key[i] & 0xFFL) << (Long.SIZE - Byte.SIZE - Byte.SIZE * (i - skipped));
        }
        return head;
    }
}
