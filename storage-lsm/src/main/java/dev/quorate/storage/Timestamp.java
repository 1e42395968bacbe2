package dev.quorate.storage;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeFormatterBuilder;

/**
 * Orders the values of a key: the larger timestamp wins, regardless of the order of arrival.
 *
 * <p>A timestamp consists of a root and a step. The root is a hybrid logical clock reading (48 bits
 * of milliseconds since 1970, 16 bits of counter, compared unsigned) and, to break ties between
 * nodes, the number of the node that took it. The clock is that of Kulkarni et al., <i>Logical
 * Physical Clocks</i> (2014).
 *
 * <p>A plain write has no step. A conditional write has the root of the entry that it replaces, and
 * as step a later reading of the clock: so it follows that entry directly, before every later plain
 * write (decision 0029).
 *
 * <p>The text form, which users see as an entry's version, is 16 hexadecimal digits, a dash, and 8
 * hexadecimal digits; with a step, a dash and 16 hexadecimal digits more. It sorts as timestamps
 * do.
 *
 * @param hybrid the root's clock reading, unsigned
 * @param node the node that took it, unsigned
 * @param step the clock reading of a conditional write, unsigned, after {@code hybrid}; 0 for a
 *     plain write
 */
public record Timestamp(long hybrid, int node, long step) implements Comparable<Timestamp> {

    /** Before every timestamp of a clock. */
    public static final Timestamp ZERO = new Timestamp(0, 0);

    /** Bytes of the encoded form without a step: 8 of clock, 4 of node, both big-endian. */
    public static final int ENCODED_BYTES = 12;

    private static final int COUNTER_BITS = 16;

    /** Characters of the text form without a step. */
    private static final int ROOT_LENGTH = 25;

    /** Characters of the text form with a step. */
    private static final int STEP_LENGTH = 42;

    private static final DateTimeFormatter TIME =
            new DateTimeFormatterBuilder().appendInstant(3).toFormatter();

    private static final String DIGITS = "0123456789abcdef";

    private static final byte[] HEX = DIGITS.getBytes(StandardCharsets.ISO_8859_1);

    public Timestamp {
        if (step != 0 && !isStep(hybrid, step)) {
            throw new IllegalArgumentException(
                    "step %x is not after root %x".formatted(step, hybrid));
        }
    }

    /** The timestamp of a plain write. */
    public Timestamp(long hybrid, int node) {
        this(hybrid, node, 0);
    }

    /** Whether a root of this reading can have this step: a step is later than its root. */
    public static boolean isStep(long hybrid, long step) {
        return Long.compareUnsigned(step, hybrid) > 0;
    }

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
        int length = text.length();
        boolean hasStep = length == STEP_LENGTH && text.charAt(ROOT_LENGTH) == '-';
        if ((length != ROOT_LENGTH && !hasStep) || text.charAt(16) != '-') {
            throw new IllegalArgumentException("not a version: " + text);
        }
        long hybrid = parseHex(text, 0, 16);
        int node = (int) parseHex(text, 17, ROOT_LENGTH);
        if (!hasStep) {
            return new Timestamp(hybrid, node);
        }
        long step = parseHex(text, ROOT_LENGTH + 1, STEP_LENGTH);
        if (!isStep(hybrid, step)) {
            throw new IllegalArgumentException("not a version: " + text);
        }
        return new Timestamp(hybrid, node, step);
    }

    private static long parseHex(String text, int from, int to) {
        long result = 0;
        for (int i = from; i < to; i++) {
            int digit = DIGITS.indexOf(text.charAt(i));
            if (digit < 0) {
                throw new IllegalArgumentException("not a version: " + text);
            }
            result = result << 4 | digit;
        }
        return result;
    }

    /** Whether a conditional write made this timestamp. */
    public boolean hasStep() {
        return step != 0;
    }

    /** This timestamp without the step: not later, by order or by age. */
    public Timestamp root() {
        return step == 0 ? this : new Timestamp(hybrid, node);
    }

    /**
     * A timestamp without a step that was made at the same moment and is not before this: an upper
     * bound both of the order and of the age.
     */
    public Timestamp ceiling() {
        return step == 0 ? this : new Timestamp(step, node);
    }

    /** The same root, with a step after it. */
    public Timestamp withStep(long newStep) {
        return new Timestamp(hybrid, node, newStep);
    }

    /**
     * The reading of the clock when it was made, unsigned, which determines its age. Never before
     * {@link #hybrid}.
     */
    public long madeAt() {
        return step == 0 ? hybrid : step;
    }

    /** Formats a moment as {@code 2026-01-31T23:59:59.000Z}, always with milliseconds. */
    public static String time(long wallMillis) {
        return TIME.format(Instant.ofEpochMilli(wallMillis));
    }

    /** Milliseconds since 1970 when it was {@linkplain #madeAt made}. */
    public long wallMillis() {
        return madeAt() >>> COUNTER_BITS;
    }

    @Override
    public int compareTo(Timestamp other) {
        int byClock = Long.compareUnsigned(hybrid, other.hybrid);
        if (byClock != 0) {
            return byClock;
        }
        int byNode = Integer.compareUnsigned(node, other.node);
        return byNode != 0 ? byNode : Long.compareUnsigned(step, other.step);
    }

    public boolean isAfter(Timestamp other) {
        return compareTo(other) > 0;
    }

    @Override
    public String toString() {
        byte[] text = new byte[textLength()];
        putText(text, 0);
        return new String(text, StandardCharsets.ISO_8859_1);
    }

    /** Characters of the text form. */
    public int textLength() {
        return step == 0 ? ROOT_LENGTH : STEP_LENGTH;
    }

    /** Writes the text form, {@link #textLength} bytes of ASCII, to {@code to}. */
    public void putText(byte[] to, int at) {
        putHex(to, at, at + 16, hybrid);
        to[at + 16] = '-';
        putHex(to, at + 17, at + ROOT_LENGTH, node);
        if (step != 0) {
            to[at + ROOT_LENGTH] = '-';
            putHex(to, at + ROOT_LENGTH + 1, at + STEP_LENGTH, step);
        }
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
