package dev.quorate.storage;

import org.jspecify.annotations.Nullable;

/**
 * Shortens values of which the store's user needs only a part, in one compaction. Called for the
 * values that the compaction writes, in the order of their keys.
 */
@FunctionalInterface
public interface ValueShortener {

    /**
     * The value to write in place of another; null to write that. Does not block or throw.
     *
     * @param key not to be modified
     */
    byte @Nullable [] shortened(byte[] key, UnreadValue value);
}
