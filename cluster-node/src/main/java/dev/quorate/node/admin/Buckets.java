package dev.quorate.node.admin;

import dev.quorate.node.runtime.DurationCounts;
import io.prometheus.metrics.model.snapshots.ClassicHistogramBuckets;

/** Durations as a classic histogram of Prometheus, with fewer buckets than they are counted in. */
final class Buckets {

    private static final double NANOS_PER_SECOND = 1e9;

    /** Upper bounds in seconds; the last bucket has none. Each is one of the finer buckets. */
    private static final double[] BOUNDS = {
        0.0001,
        0.00025,
        0.0005,
        0.001,
        0.0025,
        0.005,
        0.01,
        0.025,
        0.05,
        0.1,
        0.25,
        0.5,
        1,
        2.5,
        Double.POSITIVE_INFINITY
    };

    private Buckets() {}

    static ClassicHistogramBuckets of(DurationCounts counts) {
        long[] ofEach = new long[BOUNDS.length];
        long before = 0;
        for (int i = 0; i < BOUNDS.length; i++) {
            // Rounded, as 0.0001 is not exact; infinity becomes the largest long.
            long upTo = counts.upTo(Math.round(BOUNDS[i] * NANOS_PER_SECOND));
            ofEach[i] = upTo - before;
            before = upTo;
        }
        return ClassicHistogramBuckets.of(BOUNDS, ofEach);
    }

    static double sumSeconds(DurationCounts counts) {
        return counts.sumNanos() / NANOS_PER_SECOND;
    }
}
