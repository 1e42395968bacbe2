package dev.quorate.node.antientropy;

import dev.quorate.router.token.Token;
import dev.quorate.storage.Timestamp;

/**
 * The hash of an entry, of which ranges have the sum: so neither the order of the entries matters
 * nor how a range is cut.
 *
 * <p>It is of the key and the timestamp alone. A timestamp is given out once, so that it stands for
 * the value; and what expires is a value on one replica and a tombstone on another for as long as
 * their clocks differ. Two different ranges have the same sum once in 2^64 times, and with the salt
 * of the next repair as rarely again: nobody can make entries that are never noticed.
 */
final class Sums {

    private static final long GOLDEN = 0x9E3779B97F4A7C15L;

    private Sums() {}

    static long hash(int salt, byte[] key, Timestamp timestamp) {
        long hash = mix(Token.hash(key) ^ mix(salt * GOLDEN + GOLDEN));
        hash = mix(hash + timestamp.hybrid() * GOLDEN);
        return mix(hash ^ (timestamp.node() + GOLDEN));
    }

    /** The finalizer of SplittableRandom (Stafford's variant 13). */
    private static long mix(long bits) {
        long mixed = (bits ^ bits >>> 30) * 0xBF58476D1CE4E5B9L;
        mixed = (mixed ^ mixed >>> 27) * 0x94D049BB133111EBL;
        return mixed ^ mixed >>> 31;
    }
}
