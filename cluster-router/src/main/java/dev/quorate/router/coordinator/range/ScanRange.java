package dev.quorate.router.coordinator.range;

import dev.quorate.storage.KeyOrder;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The keys of a range read, from {@code start} (inclusive) to {@code end} (exclusive; null for no
 * end), and their order.
 *
 * @param keysOnly whether the entries have no values
 */
public record ScanRange(byte[] start, byte @Nullable [] end, KeyOrder order, boolean keysOnly) {

    public ScanRange after(byte[] key) {
        return switch (order) {
            case ASCENDING -> new ScanRange(firstAfter(key), end, order, keysOnly);
            case DESCENDING -> new ScanRange(start, key, order, keysOnly);
        };
    }

    ScanRange from(byte[] key) {
        return switch (order) {
            case ASCENDING -> new ScanRange(key, end, order, keysOnly);
            case DESCENDING -> new ScanRange(start, firstAfter(key), order, keysOnly);
        };
    }

    private static byte[] firstAfter(byte[] key) {
        return Arrays.copyOf(key, key.length + 1);
    }
}
