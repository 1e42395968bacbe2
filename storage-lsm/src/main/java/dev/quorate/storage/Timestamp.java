package dev.quorate.storage;

import java.nio.charset.StandardCharsets;

/**
 * Orders the values of a key: the larger timestamp wins, whatever the order of arrival.
 *
 * <p>Shape: a hybrid logical clock reading (48 bits of milliseconds since 1970, 16 bits of counter,
 * compared unsigned) and, to break ties between nodes, the number of the node that took it. The
 * clock is that of Kulkarni et al., <i>Logical Physical Clocks</i> (2014).
 *
 * <p>The text form, which users see as an entry's version, is 16 hexadecimal digits, a dash, and 8
 * hexadecimal digits.
 *
 * @param hybrid the clock reading, unsigned
 * @param node the node that took it, unsigned
 */
public record Timestamp(long hybrid, int node) implements Comparable<Timestamp> {

    /** Before every timestamp of a clock. */
    public static final Timestamp ZERO = new Timestamp(0, 0);

    /** Bytes of the encoded form: 8 of clock, 4 of node, both big-endian. */
    public static final int ENCODED_BYTES = 12;

    private static final int COUNTER_BITS = 16;

    /** Characters of the text form. */
    public static final int TEXT_LENGTH = 25;

    private static final byte[] HEX = "0123456789abcdef".getBytes(StandardCharsets.ISO_8859_1);

    /** The timestamp of a wall-clock reading, in milliseconds since 1970, and a counter. */
    public static Timestamp of(long wallMillis, int counter, int node) {
        if (wallMillis < 0 || wallMillis >>> 48 != 0) {
            throw new IllegalArgumentException("wallMillis out of 48 bits: " + wallMillis);
        }
        if (counter >>> COUNTER_BITS != 0) {
            throw new IllegalArgumentException("counter out of 16 bits: " + counter);
        }
        return new Timestamp(wallMillis << COUNTER_BITS | counter, node);
    }

    /**
     * Reads the text form.
     *
     * @throws IllegalArgumentException unless {@code text} is in the form of {@link #toString}
     */
    public static Timestamp parse(String text) {
        if (text.length() != TEXT_LENGTH || text.charAt(16) != '-') {
            throw new IllegalArgumentException("not a version: " + text);
        }
        long hybrid = parseHex(text, 0, 16);
        int node = (int) parseHex(text, 17, TEXT_LENGTH);
        return new Timestamp(hybrid, node);
    }

    private static long parseHex(String text, int from, int to) {
        long result = 0;
        for (int i = from; i < to; i++) {
            char c = text.charAt(i);
            int digit;
            if (c >= '0' && c <= '9') {
                digit = c - '0';
            } else if (c >= 'a' && c <= 'f') {
                digit = c - 'a' + 10;
            } else {
                throw new IllegalArgumentException("not a version: " + text);
            }
            result = result << 4 | digit;
        }
        return result;
    }

    /** Milliseconds since 1970 of the physical part. */
    public long wallMillis() {
        return hybrid >>> COUNTER_BITS;
    }

    /** The logical part: distinguishes timestamps of the same millisecond. */
    public int counter() {
        return (int) (hybrid & 0xFFFF);
    }

    @Override
    public int compareTo(Timestamp other) {
        int byClock = Long.compareUnsigned(hybrid, other.hybrid);
        return byClock != 0 ? byClock : Integer.compareUnsigned(node, other.node);
    }

    public boolean isAfter(Timestamp other) {
        return compareTo(other) > 0;
    }

    @Override
    public String toString() {
        byte[] text = new byte[TEXT_LENGTH];
        putText(text, 0);
        return new String(text, StandardCharsets.ISO_8859_1);
    }

    /** Writes the text form, {@link #TEXT_LENGTH} bytes of ASCII, to {@code to}. */
    public void putText(byte[] to, int at) {
        putHex(to, at, at + 16, hybrid);
        to[at + 16] = '-';
        putHex(to, at + 17, at + TEXT_LENGTH, node);
    }

    /** Fills the bytes from {@code from} to {@code end} with the last digits of a number. */
    private static void putHex(byte[] text, int from, int end, long number) {
        long rest = number;
        for (int at = end - 1; at >= from; at--) {
            text[at] = HEX[(int) rest & 0xF];
            rest >>>= 4;
        }
    }
}
