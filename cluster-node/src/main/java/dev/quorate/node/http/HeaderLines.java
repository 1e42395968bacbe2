package dev.quorate.node.http;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Builds header lines directly as bytes, for answers with many headers. Append-only; no added value
 * can break a line.
 */
public final class HeaderLines {

    public static final HeaderLines NONE = new HeaderLines(0);

    /**
     * Writes values of one type as visible ASCII, without an object for each text.
     *
     * @param <T> the type of the values
     */
    @FunctionalInterface
    public interface Writer<T> {
        /** Writes the value's text to {@code out}, starting at {@code at}. */
        void write(T value, byte[] out, int at);
    }

    private static final int MAX_DIGITS = 10;
    private static final long[] POWERS_OF_TEN = {
        1, 10, 100, 1_000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000, 1_000_000_000
    };

    private byte[] bytes;
    private int length;

    /** Creates an empty instance with capacity for the lines of a long answer. */
    public HeaderLines() {
        this(768);
    }

    /** Creates an empty instance with an initial capacity of {@code room} bytes. */
    public HeaderLines(int room) {
        bytes = new byte[room];
    }

    /** Adds bytes that are visible ASCII, or a {@link #beginning} of a line. */
    public HeaderLines add(byte[] visible) {
        reserve(visible.length);
        System.arraycopy(visible, 0, bytes, length, visible.length);
        length += visible.length;
        return this;
    }

    /** The beginning of a line with this name, for {@link #add(byte[])}. */
    public static byte[] beginning(String name) {
        return ("\r\n" + name + ": ").getBytes(StandardCharsets.US_ASCII);
    }

    /** A whole line of visible ASCII, for {@link #add(byte[])}. */
    public static byte[] line(String name, String value) {
        return ("\r\n" + name + ": " + value).getBytes(StandardCharsets.US_ASCII);
    }

    public HeaderLines add(HeaderLines lines) {
        reserve(lines.length);
        length = lines.copyTo(bytes, length);
        return this;
    }

    /** Adds text; characters that are not visible ASCII become question marks. */
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

    /** Adds a non-negative number, padded to {@code leastDigits} digits (at most 10). */
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

    /** Adds a value of {@code count} bytes through a writer. */
    public <T> HeaderLines add(T value, int count, Writer<T> writer) {
        reserve(count);
        writer.write(value, bytes, length);
        length += count;
        return this;
    }

    /** The lines as they are, for {@link #add(byte[])}. */
    public byte[] toBytes() {
        return Arrays.copyOf(bytes, length);
    }

    /** The number of bytes, including line ends. */
    public int length() {
        return length;
    }

    /** Removes everything after the first {@code newLength} bytes. */
    public void cutTo(int newLength) {
        length = newLength;
    }

    /** Writes the lines, each after a line end; returns the end position. */
    public int copyTo(byte[] out, int at) {
        System.arraycopy(bytes, 0, out, at, length);
        return at + length;
    }

    private void reserve(int more) {
        if (length + more > bytes.length) {
            bytes = Arrays.copyOf(bytes, Math.max(2 * bytes.length, length + more));
        }
    }
}
