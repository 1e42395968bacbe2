package dev.quorate.router.runtime;

import java.util.Arrays;
import java.util.stream.DoubleStream;
import java.util.stream.IntStream;
import java.util.stream.LongStream;

/**
 * Buckets of durations from 8 µs to 16 s: the bounds of the histograms in the metrics, and four
 * bounds for each power of 2, so that quantiles are exact to within a quarter.
 */
public final class DurationBuckets {

    private static final int PER_POWER_OF_2 = 4;
    private static final int FIRST = -17 * PER_POWER_OF_2;
    private static final int LAST = 4 * PER_POWER_OF_2;

    /** Upper bounds of the histograms in the metrics, in seconds; the last bucket has none. */
    private static final double[] METRICS_SECONDS = {
        0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5,
    };

    private static final long[] BOUNDS_NANOS =
            LongStream.concat(
                            Arrays.stream(METRICS_SECONDS).mapToLong(DurationBuckets::nanos),
                            IntStream.rangeClosed(FIRST, LAST)
                                    .mapToLong(
                                            i -> nanos(Math.pow(2, (double) i / PER_POWER_OF_2))))
                    .sorted()
                    .distinct()
                    .toArray();

    /** Number of buckets. The last one, for durations over 16 s, has no bound. */
    static final int COUNT = BOUNDS_NANOS.length + 1;

    private DurationBuckets() {}

    private static long nanos(double seconds) {
        return Math.round(seconds * 1e9);
    }

    /** The bounds of the histograms in the metrics, in seconds; the last is infinite. */
    public static double[] metricsSeconds() {
        return DoubleStream.concat(
                        Arrays.stream(METRICS_SECONDS), DoubleStream.of(Double.POSITIVE_INFINITY))
                .toArray();
    }

    static long boundNanos(int bucket) {
        return bucket < BOUNDS_NANOS.length ? BOUNDS_NANOS[bucket] : Long.MAX_VALUE;
    }

    static int bucketOf(long nanos) {
        int found = Arrays.binarySearch(BOUNDS_NANOS, nanos);
        return found >= 0 ? found : -found - 1;
    }
}
