package dev.quorate.client;

import java.nio.charset.StandardCharsets;

/**
 * A value under its key. Equal if key and version are.
 *
 * @param value 0 bytes to 16 MiB; not copied; empty in a range of keys only
 */
public record Entry(Key key, byte[] value, Version version) {

    /** The value as text in UTF-8. */
    public String text() {
        return new String(value, StandardCharsets.UTF_8);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Entry entry
                && key.equals(entry.key)
                && version.equals(entry.version);
    }

    @Override
    public int hashCode() {
        return 31 * key.hashCode() + version.hashCode();
    }

    @Override
    public String toString() {
        return key + " (" + value.length + " bytes, " + version + ")";
    }
}
