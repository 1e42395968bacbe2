package dev.quorate.storage;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The keys from {@code start} (inclusive) to {@code end} (exclusive). The arrays are not copied.
 *
 * @param end null if unbounded
 */
public record KeyRange(byte[] start, byte @Nullable [] end) {

    /** Whether this range contains every key of {@code other}. */
    public boolean covers(KeyRange other) {
        return Arrays.compareUnsigned(other.start, start) >= 0
                && (end == null
                        || (other.end != null && Arrays.compareUnsigned(other.end, end) <= 0));
    }

    /** The smallest key after {@code key}. */
    public static byte[] after(byte[] key) {
        return Arrays.copyOf(key, key.length + 1);
    }

    /** The smallest key after all that begin with {@code prefix}; null if none. */
    public static byte @Nullable [] afterPrefix(byte[] prefix) {
        int length = prefix.length;
        while (length > 0 && prefix[length - 1] == -1) {
            length--;
        }
        if (length == 0) {
            return null;
        }
        byte[] after = Arrays.copyOf(prefix, length);
        after[length - 1]++;
        return after;
    }

    @Override
    public boolean equals(@Nullable Object object) {
        return object instanceof KeyRange other
                && Arrays.equals(start, other.start)
                && Arrays.equals(end, other.end);
    }

    @Override
    public int hashCode() {
        return 31 * Arrays.hashCode(start) + Arrays.hashCode(end);
    }

    @Override
    public String toString() {
        return "KeyRange[from a key of %d bytes %s]"
                .formatted(start.length, end == null ? "on" : "to one of " + end.length);
    }
}
