package dev.quorate.node.http;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Header lines that are made as the bytes they are sent as, for answers that have many. Grows only;
 * what is added never breaks a line, whatever it is.
 */
public final class HeaderLines {

    /** No lines. */
    public static final HeaderLines NONE = new HeaderLines(0);

    /**
     * Writes values of one type as visible ASCII, without an object for each text.
     *
     * @param <T> the type of the values
     */
    @FunctionalInterface
    public interface Writer<T> {
        /** Writes the value's text to {@code out}, from {@code at} on. */
        void write(T value, byte[] out, int at);
    }

    private static final int MAX_DIGITS = 10;
    private static final long[] POWERS_OF_TEN = {
        1, 10, 100, 1_000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000, 1_000_000_000
    };

    private byte[] bytes;
    private int length;

    /** Empty, with room for the lines of a long answer. */
    public HeaderLines() {
        this(768);
    }

    /** Empty, with room for so many bytes before it has to grow. */
    public HeaderLines(int room) {
        bytes = new byte[room];
    }

    /**
     * Adds what is known to be visible ASCII, or the beginning of a line as {@link #beginning}
     * makes it.
     */
    public HeaderLines add(byte[] visible) {
        reserve(visible.length);
        System.arraycopy(visible, 0, bytes, length, visible.length);
        length += visible.length;
        return this;
    }

    /** What begins each line of this name, for {@link #add(byte[])}. */
    public static byte[] beginning(String name) {
        return ("\r\n" + name + ": ").getBytes(StandardCharsets.US_ASCII);
    }

    /** A whole line of visible ASCII, for {@link #add(byte[])}. */
    public static byte[] line(String name, String value) {
        return ("\r\n" + name + ": " + value).getBytes(StandardCharsets.US_ASCII);
    }

    /** Adds lines. */
    public HeaderLines add(HeaderLines lines) {
        reserve(lines.length);
        length = lines.copyTo(bytes, length);
        return this;
    }

    /** Adds text; what is no visible ASCII becomes a question mark. */
    public HeaderLines add(String text) {
        int count = text.length();
        reserve(count);
        byte[] to = bytes;
        int at = length;
        int outside = 0; // negative if any character is
        for (int i = 0; i < count; i++) {
            char c = text.charAt(i);
            outside |= (c - ' ') | ('~' - c);
            to[at + i] = (byte) c;
        }
        if (outside < 0) {
            for (int i = 0; i < count; i++) {
                char c = text.charAt(i);
                to[at + i] = (byte) (c >= ' ' && c <= '~' ? c : '?');
            }
        }
        length = at + count;
        return this;
    }

    /** Adds a number, not negative, with at least so many digits, up to 10. */
    public HeaderLines add(int number, int leastDigits) {
        reserve(MAX_DIGITS);
        int digits = leastDigits;
        while (digits < MAX_DIGITS && number >= POWERS_OF_TEN[digits]) {
            digits++;
        }
        int rest = number;
        for (int at = length + digits - 1; at >= length; at--) {
            bytes[at] = (byte) ('0' + rest % 10);
            rest /= 10;
        }
        length += digits;
        return this;
    }

    /** Adds what the writer makes of a value, {@code count} bytes. */
    public <T> HeaderLines add(T value, int count, Writer<T> writer) {
        reserve(count);
        writer.write(value, bytes, length);
        length += count;
        return this;
    }

    /** How many bytes there are, line ends included. */
    public int length() {
        return length;
    }

    /** Takes back all behind the first {@code newLength} bytes. */
    public void cutTo(int newLength) {
        length = newLength;
    }

    /** Writes the lines, each behind its line end; returns where they end. */
    int copyTo(byte[] out, int at) {
        System.arraycopy(bytes, 0, out, at, length);
        return at + length;
    }

    private void reserve(int more) {
        if (length + more > bytes.length) {
            bytes = Arrays.copyOf(bytes, Math.max(2 * bytes.length, length + more));
        }
    }
}
