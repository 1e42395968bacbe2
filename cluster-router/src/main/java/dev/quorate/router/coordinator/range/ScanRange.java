package dev.quorate.router.coordinator.range;

import dev.quorate.storage.KeyOrder;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Keys of a read: the keys from {@code start} (included) to {@code end} (not included; null for no
 * end), in an order.
 */
public record ScanRange(byte[] start, byte @Nullable [] end, KeyOrder order) {

    /** What of it comes after a key. */
    public ScanRange after(byte[] key) {
        return switch (order) {
            case ASCENDING -> new ScanRange(firstAfter(key), end, order);
            case DESCENDING -> new ScanRange(start, key, order);
        };
    }

    /** What of it comes from a key on, included. */
    ScanRange from(byte[] key) {
        return switch (order) {
            case ASCENDING -> new ScanRange(key, end, order);
            case DESCENDING -> new ScanRange(start, firstAfter(key), order);
        };
    }

    private static byte[] firstAfter(byte[] key) {
        return Arrays.copyOf(key, key.length + 1);
    }
}
