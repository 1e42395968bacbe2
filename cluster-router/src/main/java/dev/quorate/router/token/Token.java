package dev.quorate.router.token;

import com.google.common.hash.HashFunction;
import com.google.common.hash.Hashing;

/**
 * A point on the ring.
 *
 * <p>Tokens are compared <b>unsigned</b>: the ring runs from {@code 0000000000000000} to {@code
 * ffffffffffffffff} and wraps around, so printed tokens sort in the order of the ring.
 *
 * @param value 64 bits, unsigned
 */
public record Token(long value) implements Comparable<Token> {

    private static final HashFunction MURMUR = Hashing.murmur3_128();

    public static Token ofKey(byte[] key) {
        return new Token(hash(key));
    }

    /**
     * The value of the token of a key, without allocating a {@code Token}, for the hot path.
     *
     * <p>It is the first 64 bits of MurmurHash3 x64 128 with seed 0 (Austin Appleby), read as
     * little-endian, as Guava's {@code asLong} returns them. It determines the placement of stored
     * data, so it can never change.
     */
    public static long hash(byte[] key) {
        return MURMUR.hashBytes(key).asLong();
    }

    @Override
    public int compareTo(Token other) {
        return Long.compareUnsigned(value, other.value);
    }

    /** Sixteen hexadecimal digits. */
    @Override
    public String toString() {
        StringBuilder text = new StringBuilder(16);
        for (int shift = 60; shift >= 0; shift -= 4) {
            text.append(Character.forDigit((int) (value >>> shift) & 0xF, 16));
        }
        return text.toString();
    }
}
