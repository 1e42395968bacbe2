package dev.quorate.storage.format;

import java.nio.ByteBuffer;

/**
 * Variable-length unsigned integers: seven bits in each byte, lowest first, with the top bit set on
 * all bytes but the last (LEB128, as in Protocol Buffers). Each number has one encoding; longer
 * ones are rejected.
 */
public final class Varint {

    /** Maximum bytes of an encoded int. */
    public static final int MAX_INT_BYTES = 5;

    private Varint() {}

    /** Encoded size, in bytes, of {@code value}, which must not be negative. */
    public static int sizeOf(int value) {
        return value == 0 ? 1 : (38 - Integer.numberOfLeadingZeros(value)) / 7;
    }

    /** Writes {@code value}, which must not be negative. */
    public static void put(int value, ByteBuffer to) {
        if (value < 0) {
            throw new IllegalArgumentException("negative: " + value);
        }
        int rest = value;
        while (rest > 0x7F) {
            to.put((byte) (rest | 0x80));
            rest >>>= 7;
        }
        to.put((byte) rest);
    }

    /**
     * Reads a number from 0 to 2^31 - 1.
     *
     * @throws MalformedException if the bytes are not a valid encoding
     */
    public static int get(ByteBuffer from) {
        int result = 0;
        for (int shift = 0; shift < 7 * MAX_INT_BYTES; shift += 7) {
            if (!from.hasRemaining()) {
                throw new MalformedException("a number is cut off");
            }
            byte next = from.get();
            if (shift == 28 && (next & 0xF8) != 0) {
                throw new MalformedException("a number exceeds 31 bits");
            }
            result |= (next & 0x7F) << shift;
            if (next >= 0) {
                if (next == 0 && shift > 0) {
                    throw new MalformedException("a number is longer than it needs to be");
                }
                return result;
            }
        }
        throw new MalformedException("a number exceeds 31 bits");
    }
}
