package dev.quorate.testkit.check;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Values that begin with their name, which determines all their bytes: a value that was truncated,
 * mixed up or damaged is not a value of any name.
 */
final class Values {

    private static final char END_OF_NAME = '|';
    private static final int SHORT_BYTES = 100;
    private static final int LONG_BYTES = 5_000;

    private Values() {}

    /** The bytes of a value; one in sixteen is long. */
    static byte[] bytes(String name) {
        int hash = name.hashCode() * 0x9E3779B9;
        int most = (hash >>> 28) == 0 ? LONG_BYTES : SHORT_BYTES;
        int padding = (hash & 0xFFFFFF) % most;
        StringBuilder text = new StringBuilder(name.length() + 1 + padding);
        text.append(name).append(END_OF_NAME);
        for (int i = 0; i < padding; i++) {
            text.append((char) ('a' + ((hash >>> (8 + i % 24)) + i) % 26));
        }
        return text.toString().getBytes(StandardCharsets.US_ASCII);
    }

    /** The name of a value; for any other bytes a text that is no value's name. */
    static String name(byte[] bytes) {
        String text = new String(bytes, StandardCharsets.ISO_8859_1);
        int end = text.indexOf(END_OF_NAME);
        String name = end < 0 ? "" : text.substring(0, end);
        return end >= 0 && Arrays.equals(bytes(name), bytes) ? name : "damaged: " + text;
    }
}
