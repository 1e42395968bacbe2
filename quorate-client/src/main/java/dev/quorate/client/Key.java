package dev.quorate.client;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** A key: 1 to 1,024 bytes, compared as unsigned bytes. Immutable. */
public final class Key implements Comparable<Key> {

    /** The longest key, in bytes. */
    public static final int MAX_BYTES = 1_024;

    private final byte[] bytes;

    private Key(byte[] bytes) {
        if (bytes.length < 1 || bytes.length > MAX_BYTES) {
            throw new IllegalArgumentException(
                    "A key has 1 to " + MAX_BYTES + " bytes, and this one " + bytes.length + ".");
        }
        this.bytes = bytes;
    }

    /**
     * The key with the bytes of a text in UTF-8.
     *
     * @throws IllegalArgumentException if it is empty or too long
     */
    public static Key of(String text) {
        return new Key(Json.bytes(text));
    }

    /**
     * The key with these bytes.
     *
     * @throws IllegalArgumentException if there are none, or too many
     */
    public static Key of(byte[] bytes) {
        return new Key(bytes.clone());
    }

    /** A copy. */
    public byte[] bytes() {
        return bytes.clone();
    }

    /** Not a copy. */
    byte[] shared() {
        return bytes;
    }

    @Override
    public int compareTo(Key other) {
        return Arrays.compareUnsigned(bytes, other.bytes);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Key key && Arrays.equals(bytes, key.bytes);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(bytes);
    }

    /** As text; bytes that are not UTF-8 are replaced. */
    @Override
    public String toString() {
        return new String(bytes, StandardCharsets.UTF_8);
    }
}
