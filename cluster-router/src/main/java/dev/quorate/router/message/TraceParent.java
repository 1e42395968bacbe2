package dev.quorate.router.message;

import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Identifies a request across programs: the {@code traceparent} of W3C Trace Context. Only the
 * numbers in a client's text are stored.
 *
 * @param high the first half of the trace id
 * @param low the second half; the halves are not both 0
 * @param parent the id of the client's span; not 0
 * @param flags 8 bits
 */
public record TraceParent(long high, long low, long parent, int flags) {

    /** Bytes in a message. */
    static final int BYTES = 3 * Long.BYTES + Byte.BYTES;

    private static final int TEXT_CHARS = 55;
    private static final int ID_AT = 3;
    private static final int PARENT_AT = 36;
    private static final int FLAGS_AT = 53;
    private static final int LONG_DIGITS = 16;
    private static final int MAX_FLAGS = 0xFF;

    public TraceParent {
        if ((high == 0 && low == 0) || parent == 0 || flags < 0 || flags > MAX_FLAGS) {
            throw new IllegalArgumentException("a traceparent of zeros");
        }
    }

    /**
     * Parses a header's value.
     *
     * @return null unless the text is a trace parent of version 00, exactly as in the standard
     */
    public static @Nullable TraceParent parse(String text) {
        if (text.length() != TEXT_CHARS
                || !text.startsWith("00-")
                || text.charAt(PARENT_AT - 1) != '-'
                || text.charAt(FLAGS_AT - 1) != '-') {
            return null;
        }
        if (!isHex(text, ID_AT, PARENT_AT - 1)
                || !isHex(text, PARENT_AT, FLAGS_AT - 1)
                || !isHex(text, FLAGS_AT, TEXT_CHARS)) {
            return null;
        }
        long high = number(text, ID_AT, ID_AT + LONG_DIGITS);
        long low = number(text, ID_AT + LONG_DIGITS, PARENT_AT - 1);
        long parent = number(text, PARENT_AT, FLAGS_AT - 1);
        boolean isValid = (high != 0 || low != 0) && parent != 0;
        return isValid
                ? new TraceParent(high, low, parent, (int) number(text, FLAGS_AT, TEXT_CHARS))
                : null;
    }

    /** Upper case is not allowed. */
    private static boolean isHex(String text, int from, int to) {
        for (int i = from; i < to; i++) {
            char each = text.charAt(i);
            if (!(each >= '0' && each <= '9') && !(each >= 'a' && each <= 'f')) {
                return false;
            }
        }
        return true;
    }

    private static long number(String text, int from, int to) {
        long number = 0;
        for (int i = from; i < to; i++) {
            number = number << 4 | Character.digit(text.charAt(i), LONG_DIGITS);
        }
        return number;
    }

    /** Creates the trace parent of a request whose client sent none. */
    public static TraceParent make(RandomGenerator random) {
        // Odd, so that neither id is 0.
        return new TraceParent(random.nextLong() | 1, random.nextLong(), random.nextLong() | 1, 0);
    }

    /** The trace id: 32 hexadecimal digits. */
    public String id() {
        return hex(high) + hex(low);
    }

    private static String hex(long number) {
        String digits = Long.toHexString(number);
        return "0".repeat(LONG_DIGITS - digits.length()) + digits;
    }
}
