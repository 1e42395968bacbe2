package dev.quorate.storage.memtable;

import java.util.Arrays;

/**
 * The expected prefixes of a memtable's keys: one for keys that begin with eight bytes of ones, one
 * for all others. The former are a node's own records ({@link dev.quorate.storage.Keyspaces});
 * without a prefix of their own, a single record would leave the keys of clients without one. A
 * wrong prefix costs time, not correctness.
 */
public final class KeyPrefixes {

    /** The smallest key that begins with eight bytes of ones. */
    static final byte[] ONES = {-1, -1, -1, -1, -1, -1, -1, -1};

    /** No prefix is known. */
    public static final KeyPrefixes UNKNOWN = new KeyPrefixes(new byte[0], ONES);

    private static final long LOWEST_HEAD = 0;
    private static final long HIGHEST_HEAD = -1;

    final byte[] others;
    final byte[] ones;

    /**
     * @param others the prefix of keys that do not begin with eight bytes of ones
     * @param ones the prefix of keys that do
     */
    public KeyPrefixes(byte[] others, byte[] ones) {
        this.others = others.clone();
        this.ones = ones.clone();
    }

    /** The longest common prefix of two keys, and so of all between them. */
    static byte[] common(byte[] least, byte[] greatest) {
        int differ = Arrays.mismatch(least, greatest);
        return differ < 0 ? least : Arrays.copyOf(least, differ);
    }

    /**
     * An unsigned 64-bit number that never contradicts the order of keys: a one for keys that begin
     * with ones, then the 63 bits after the prefix. The head of a key without the prefix only
     * orders it before or after all keys with it.
     */
    long head(byte[] key) {
        boolean beginsWithOnes = key.length >= Long.BYTES && Records.head(key, 0) == HIGHEST_HEAD;
        return beginsWithOnes ? Long.MIN_VALUE | head(key, ones) >>> 1 : head(key, others) >>> 1;
    }

    private static long head(byte[] key, byte[] prefix) {
        int skipped = prefix.length;
        int differs = Arrays.mismatch(key, 0, Math.min(key.length, skipped), prefix, 0, skipped);
        if (differs >= 0) {
            boolean isLess =
                    differs == key.length
                            || Byte.compareUnsigned(key[differs], prefix[differs]) < 0;
            return isLess ? LOWEST_HEAD : HIGHEST_HEAD;
        }
        return Records.head(key, skipped);
    }
}
