package dev.quorate.storage.sstable.filter;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * The hash of keys in Bloom filters: XXH64 with seed 0, implemented from its specification (Yann
 * Collet, <i>xxHash fast digest algorithm</i>, version 0.1.1). It is part of the table format:
 * another hash would invalidate the filters of existing tables.
 */
public final class KeyHash {

    private static final long SEED = 0;
    private static final long PRIME_1 = 0x9E3779B185EBCA87L;
    private static final long PRIME_2 = 0xC2B2AE3D27D4EB4FL;
    private static final long PRIME_3 = 0x165667B19E3779F9L;
    private static final long PRIME_4 = 0x85EBCA77C2B2AE63L;
    private static final long PRIME_5 = 0x27D4EB2F165667C5L;
    private static final int STRIPE_BYTES = 32;

    private static final VarHandle LONG =
            MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
    private static final VarHandle INT =
            MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);

    private KeyHash() {}

    public static long of(byte[] key) {
        int length = key.length;
        int at = 0;
        long hash = SEED + PRIME_5;
        if (length >= STRIPE_BYTES) {
            long lane3 = SEED;
            long lane2 = lane3 + PRIME_2;
            long lane1 = lane2 + PRIME_1;
            long lane4 = lane3 - PRIME_1;
            for (; at + STRIPE_BYTES <= length; at += STRIPE_BYTES) {
                lane1 = round(lane1, (long) LONG.get(key, at));
                lane2 = round(lane2, (long) LONG.get(key, at + 8));
                lane3 = round(lane3, (long) LONG.get(key, at + 16));
                lane4 = round(lane4, (long) LONG.get(key, at + 24));
            }
            hash =
                    Long.rotateLeft(lane1, 1)
                            + Long.rotateLeft(lane2, 7)
                            + Long.rotateLeft(lane3, 12)
                            + Long.rotateLeft(lane4, 18);
            hash = merge(merge(merge(merge(hash, lane1), lane2), lane3), lane4);
        }
        hash += length;
        for (; at + 8 <= length; at += 8) {
            hash ^= round(0, (long) LONG.get(key, at));
            hash = Long.rotateLeft(hash, 27) * PRIME_1 + PRIME_4;
        }
        if (at + 4 <= length) {
            hash ^= Integer.toUnsignedLong((int) INT.get(key, at)) * PRIME_1;
            hash = Long.rotateLeft(hash, 23) * PRIME_2 + PRIME_3;
            at += 4;
        }
        for (; at < length; at++) {
            hash ^= (key[at] & 0xFF) * PRIME_5;
            hash = Long.rotateLeft(hash, 11) * PRIME_1;
        }
        hash = (hash ^ hash >>> 33) * PRIME_2;
        hash = (hash ^ hash >>> 29) * PRIME_3;
        return hash ^ hash >>> 32;
    }

    private static long round(long lane, long input) {
        return Long.rotateLeft(lane + input * PRIME_2, 31) * PRIME_1;
    }

    private static long merge(long hash, long lane) {
        return (hash ^ round(0, lane)) * PRIME_1 + PRIME_4;
    }
}
