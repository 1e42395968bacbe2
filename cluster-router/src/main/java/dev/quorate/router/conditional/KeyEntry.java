package dev.quorate.router.conditional;

import dev.quorate.storage.Entry;
import org.jspecify.annotations.Nullable;

/** Converts entries of the store to those of a round, and back. */
public final class KeyEntry {

    private KeyEntry() {}

    /** The state of a key with this entry; null for no entry. */
    public static Current current(@Nullable Entry entry) {
        if (entry == null) {
            return Current.NOTHING;
        }
        return new Current(
                entry.timestamp(),
                entry.isTombstone() ? null : entry.value(),
                entry.expiresAtMillis(),
                entry.from(),
                entry.contentType());
    }

    /**
     * The entry of {@code key}.
     *
     * @throws IllegalArgumentException for {@link Current#NOTHING}
     */
    public static Entry entry(byte[] key, Current current) {
        byte[] value = current.value();
        if (value == null) {
            if (current.equals(Current.NOTHING)) {
                throw new IllegalArgumentException("the key has no entry");
            }
            return Entry.tombstone(key, current.version(), current.from());
        }
        return Entry.expiring(
                        key, current.version(), value, current.from(), current.expiresAtMillis())
                .withContentType(current.contentType());
    }
}
