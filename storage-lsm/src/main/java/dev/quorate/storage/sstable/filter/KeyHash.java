package dev.quorate.storage.sstable.filter;

import net.jpountz.xxhash.XXHash64;
import net.jpountz.xxhash.XXHashFactory;

/**
 * The hash of keys in Bloom filters: XXH64 with seed 0 (Yann Collet, <i>xxHash fast digest
 * algorithm</i>, version 0.1.1). It is part of the table format: another hash would invalidate the
 * filters of existing tables.
 */
public final class KeyHash {

    private static final long SEED = 0;

    /** In pure Java: a native call costs more than hashing a short key. */
    private static final XXHash64 HASH = XXHashFactory.safeInstance().hash64();

    private KeyHash() {}

    public static long of(byte[] key) {
        return HASH.hash(key, 0, key.length, SEED);
    }
}
