package dev.quorate.node.antientropy;

import dev.quorate.router.message.ComparedRange.Part;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Divides the entries of a range into a few parts with about the same number of entries, in one
 * pass and without knowing the total: when there are too many parts, neighbours are merged in
 * pairs, and from then on parts are twice as large.
 */
final class Divider {

    private static final byte[] NOTHING = {};

    private final int most;
    private final List<byte[]> starts = new ArrayList<>();
    private long[] sums;
    private int perPart = 1;
    private int inLast;
    private byte[] before = NOTHING;

    /**
     * @param most the maximum number of parts; even
     */
    Divider(int most) {
        this.most = most;
        this.sums = new long[most];
    }

    /** Adds the next entry, in ascending order of keys. */
    void add(byte[] key, long hash) {
        if (starts.isEmpty() || inLast == perPart) {
            if (starts.size() == most) {
                halve();
            }
            starts.add(starts.isEmpty() ? NOTHING : between(before, key));
            inLast = 0;
        }
        sums[starts.size() - 1] += hash;
        inLast++;
        before = key;
    }

    private void halve() {
        long[] halved = new long[most];
        List<byte[]> kept = new ArrayList<>();
        for (int i = 0; i < most; i += 2) {
            kept.add(starts.get(i));
            halved[i / 2] = sums[i] + sums[i + 1];
        }
        starts.clear();
        starts.addAll(kept);
        sums = halved;
        perPart *= 2;
    }

    /** The shortest key that is after {@code before} and not after {@code key}. */
    private static byte[] between(byte[] before, byte[] key) {
        int shared = Arrays.mismatch(before, key);
        return Arrays.copyOf(key, shared + 1);
    }

    /**
     * The parts, at least one.
     *
     * @param end the end of the last part
     */
    List<Part> parts(byte @Nullable [] end) {
        if (starts.isEmpty()) {
            return List.of(new Part(end, 0));
        }
        List<Part> parts = new ArrayList<>();
        for (int i = 0; i < starts.size(); i++) {
            parts.add(new Part(i + 1 < starts.size() ? starts.get(i + 1) : end, sums[i]));
        }
        return parts;
    }
}
