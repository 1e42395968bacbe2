package dev.quorate.node.runtime;

import java.util.Arrays;
import java.util.stream.DoubleStream;
import java.util.stream.IntStream;
import java.util.stream.LongStream;

/**
 * The buckets in which durations are counted, from 8 µs to 16 s. Their bounds are those of
 * Prometheus's classic histograms together with those of its native ones, so that one count serves
 * both.
 *
 * <p>The bounds of a native histogram of schema 2 are powers of 2 to a quarter, in seconds: bucket
 * {@code i} ends at 2 to the power of {@code i / 4}.
 */
public final class DurationBuckets {

    /** The schema of the native histogram: 4 buckets for each power of 2. */
    public static final int SCHEMA = 2;

    /** The native bucket up to which durations count as zero: 2 to the power of -17 seconds. */
    public static final int ZERO_BUCKET = -68;

    /** The native bucket that ends at 16 s. What is longer counts in the one after it. */
    public static final int LAST_BUCKET = 16;

    private static final double NANOS_PER_SECOND = 1e9;

    /** Upper bounds of the classic histogram, in seconds; the last bucket has none. */
    private static final double[] CLASSIC_SECONDS = {
        0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5,
    };

    private static final long[] BOUNDS_NANOS =
            LongStream.concat(
                            Arrays.stream(CLASSIC_SECONDS).mapToLong(DurationBuckets::nanos),
                            IntStream.rangeClosed(ZERO_BUCKET, LAST_BUCKET)
                                    .mapToLong(DurationBuckets::nativeBoundNanos))
                    .sorted()
                    .distinct()
                    .toArray();

    /** The last one, of what is longer than 16 s, has no bound. */
    static final int COUNT = BOUNDS_NANOS.length + 1;

    private DurationBuckets() {}

    private static long nanos(double seconds) {
        return Math.round(seconds * NANOS_PER_SECOND);
    }

    /** Where a native bucket ends. */
    static long nativeBoundNanos(int bucket) {
        return nanos(Math.pow(2, (double) bucket / (1 << SCHEMA)));
    }

    /** The duration up to which a native histogram counts zero. */
    public static double zeroSeconds() {
        return Math.pow(2, (double) ZERO_BUCKET / (1 << SCHEMA));
    }

    /** The bounds of the classic histogram, in seconds; the last is infinite. */
    public static double[] classicSeconds() {
        return DoubleStream.concat(
                        Arrays.stream(CLASSIC_SECONDS), DoubleStream.of(Double.POSITIVE_INFINITY))
                .toArray();
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
