package dev.quorate.router.coordinator.range;

import dev.quorate.storage.KeyOrder;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Keys of a read: the keys from {@code start} (included) to {@code end} (not included; null for no
 * end), in an order.
 */
public record Range(byte[] start, byte @Nullable [] end, KeyOrder order) {

    /** What of it comes after a key. */
    public Range after(byte[] key) {
        return switch (order) {
            case ASCENDING -> new Range(firstAfter(key), end, order);
            case DESCENDING -> new Range(start, key, order);
        };
    }

    /** What of it comes from a key on, included. */
    Range from(byte[] key) {
        return switch (order) {
            case ASCENDING -> new Range(key, end, order);
            case DESCENDING -> new Range(start, firstAfter(key), order);
        };
    }

    private static byte[] firstAfter(byte[] key) {
        return Arrays.copyOf(key, key.length + 1);
    }
}
