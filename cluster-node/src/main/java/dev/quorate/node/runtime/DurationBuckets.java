package dev.quorate.node.runtime;

import java.util.Arrays;

/** The buckets in which durations are counted: ten for each power of ten, from 10 µs to 10 s. */
final class DurationBuckets {

    private static final long FIRST_NANOS = 10_000;
    private static final int POWERS = 6;
    private static final double[] STEPS = {1, 1.25, 1.5, 2, 2.5, 3, 4, 5, 6, 8};

    /** The last one, of what is longer than 10 s, has no bound. */
    static final int COUNT = POWERS * STEPS.length + 2;

    private static final long[] BOUNDS_NANOS = bounds();

    private DurationBuckets() {}

    private static long[] bounds() {
        long[] bounds = new long[COUNT - 1];
        long power = FIRST_NANOS;
        for (int i = 0; i < bounds.length; i++) {
            bounds[i] = Math.round(power * STEPS[i % STEPS.length]);
            if (i % STEPS.length == STEPS.length - 1) {
                power *= 10;
            }
        }
        return bounds;
    }

    /** The longest duration of a bucket. */
    static long boundNanos(int bucket) {
        return bucket < BOUNDS_NANOS.length ? BOUNDS_NANOS[bucket] : Long.MAX_VALUE;
    }

    static int bucketOf(long nanos) {
        int found = Arrays.binarySearch(BOUNDS_NANOS, nanos);
        return found >= 0 ? found : -found - 1;
    }
}
