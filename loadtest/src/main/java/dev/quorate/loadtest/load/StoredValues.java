package dev.quorate.loadtest.load;

import java.nio.ByteBuffer;
import java.util.Locale;

/**
 * The keys and values that load generators put, computed from numbers to check the answers.
 *
 * <p>A value is the number of its key in eight digits, followed by a piece of a fixed text whose
 * position depends on the number. A value of up to eight bytes consists of the last digits.
 */
public final class StoredValues {

    /** The digits of the number in each key and value. */
    public static final int DIGITS = 8;

    private static final String ALPHABET = "abcdefghijklmnopqrstuvwxyz0123456789";
    private static final int TEXT_BYTES = 65_536;
    private static final long MODULUS = 2_147_483_647;
    private static final long MULTIPLIER = 16_807;
    private static final long STRIDE = 7_919;

    private static final byte[] TEXT = text();

    private StoredValues() {}

    private static byte[] text() {
        byte[] text = new byte[TEXT_BYTES];
        long random = 1;
        for (int i = 0; i < TEXT_BYTES; i++) {
            random = random * MULTIPLIER % MODULUS;
            text[i] = (byte) ALPHABET.charAt((int) (random % ALPHABET.length()));
        }
        return text;
    }

    /** The prefix of keys with values of one size, percent-encoded. */
    public static String keyPrefix(int valueBytes) {
        return "bench-" + valueBytes + "-";
    }

    /** The prefix of new keys; see {@link Load.Requests#series}. */
    public static String newKeyPrefix(int valueBytes, int series) {
        return "new-" + valueBytes + "-" + series + "-";
    }

    /** The key with a number and a value of one size, percent-encoded. */
    public static String key(int number, int valueBytes) {
        return keyPrefix(valueBytes) + String.format(Locale.ROOT, "%08d", number);
    }

    /** The end of the range of all keys with values of one size. */
    public static String rangeEnd(int valueBytes) {
        return keyPrefix(valueBytes) + "~";
    }

    public static byte[] value(int number, int valueBytes) {
        ByteBuffer value = ByteBuffer.allocate(valueBytes);
        putValue(number, valueBytes, value);
        return value.array();
    }

    public static void putDigits(int number, ByteBuffer to) {
        for (int i = 0; i < DIGITS; i++) {
            to.put(digit(number, i));
        }
    }

    public static void putValue(int number, int valueBytes, ByteBuffer to) {
        for (int i = Math.max(0, DIGITS - valueBytes); i < DIGITS; i++) {
            to.put(digit(number, i));
        }
        int from = (int) (number * STRIDE % TEXT_BYTES);
        for (int left = valueBytes - DIGITS; left > 0; ) {
            int piece = Math.min(left, TEXT_BYTES - from);
            to.put(TEXT, from, piece);
            left -= piece;
            from = 0;
        }
    }

    /**
     * Whether {@code count} bytes at index {@code from} are a piece of the value of a key.
     *
     * @param at the offset of the piece in the value, which must contain all of it
     */
    public static boolean isPiece(
            int number, int valueBytes, int at, ByteBuffer bytes, int from, int count) {
        int digits = Math.min(valueBytes, DIGITS);
        int textAt = (int) ((number * STRIDE + Math.max(0, at - digits)) % TEXT_BYTES);
        for (int i = 0; i < count; i++) {
            byte expected;
            if (at + i < digits) {
                expected = digit(number, DIGITS - digits + at + i);
            } else {
                expected = TEXT[textAt];
                textAt = textAt + 1 == TEXT_BYTES ? 0 : textAt + 1;
            }
            if (bytes.get(from + i) != expected) {
                return false;
            }
        }
        return true;
    }

    /** One of the eight digits, counted from the left. */
    public static byte digit(int number, int at) {
        int rest = number;
        for (int i = DIGITS - 1; i > at; i--) {
            rest /= 10;
        }
        return (byte) ('0' + rest % 10);
    }
}
