package dev.quorate.router.coordinator.range;

import dev.quorate.storage.KeyOrder;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The keys of a range read, from {@code start} (inclusive) to {@code end} (exclusive; null for no
 * end), and their order.
 */
public record ScanRange(byte[] start, byte @Nullable [] end, KeyOrder order) {

    public ScanRange after(byte[] key) {
        return switch (order) {
            case ASCENDING -> new ScanRange(firstAfter(key), end, order);
            case DESCENDING -> new ScanRange(start, key, order);
        };
    }

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
