package dev.quorate.router.coordinator.operation;

import java.util.Arrays;

/**
 * A key and its number of owners: the first {@code from} of its ring order. As in stored entries, 0
 * is the replication factor. A coordinator's state of a key applies to one {@code from} only: a
 * majority of one replica says nothing about a majority of three. The array is not copied.
 */
public record OwnedKey(byte[] key, int from) {

    @Override
    public boolean equals(Object other) {
        return other instanceof OwnedKey(byte[] otherKey, int otherFrom)
                && from == otherFrom
                && Arrays.equals(key, otherKey);
    }

    @Override
    public int hashCode() {
        return 31 * Arrays.hashCode(key) + from;
    }
}
