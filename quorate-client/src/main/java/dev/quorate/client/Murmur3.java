package dev.quorate.client;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * The token of a key: the first 64 bits of MurmurHash3 x64 128 with seed 0 (Austin Appleby), which
 * the nodes have from Guava, and this client, which has no dependencies, from here.
 */
final class Murmur3 {

    private static final long C1 = 0x87c37b91114253d5L;
    private static final long C2 = 0x4cf5ad432745937fL;
    private static final int BLOCK_BYTES = 16;

    private Murmur3() {}

    /** Unsigned. */
    static long hash(byte[] bytes) {
        long h1 = 0;
        long h2 = 0;
        ByteBuffer buffer = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
        while (buffer.remaining() >= BLOCK_BYTES) {
            h1 ^= mixed(buffer.getLong(), C1, 31, C2);
            h1 = (Long.rotateLeft(h1, 27) + h2) * 5 + 0x52dce729;
            h2 ^= mixed(buffer.getLong(), C2, 33, C1);
            h2 = (Long.rotateLeft(h2, 31) + h1) * 5 + 0x38495ab5;
        }
        // What is left, filled up with zeros, which change nothing.
        ByteBuffer rest = ByteBuffer.allocate(BLOCK_BYTES).order(ByteOrder.LITTLE_ENDIAN);
        rest.put(buffer).rewind();
        h1 ^= mixed(rest.getLong(), C1, 31, C2);
        h2 ^= mixed(rest.getLong(), C2, 33, C1);
        h1 ^= bytes.length;
        h2 ^= bytes.length;
        h1 += h2;
        h2 += h1;
        return avalanched(h1) + avalanched(h2);
    }

    private static long mixed(long k, long before, int rotation, long after) {
        return Long.rotateLeft(k * before, rotation) * after;
    }

    private static long avalanched(long h) {
        long x = (h ^ h >>> 33) * 0xff51afd7ed558ccdL;
        x = (x ^ x >>> 33) * 0xc4ceb9fe1a85ec53L;
        return x ^ x >>> 33;
    }
}
