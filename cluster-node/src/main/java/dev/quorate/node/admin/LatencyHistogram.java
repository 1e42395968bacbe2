package dev.quorate.node.admin;

import io.prometheus.metrics.model.snapshots.ClassicHistogramBuckets;
import java.util.concurrent.atomic.LongAdder;

/**
 * Counts durations in fixed buckets. Many threads may record at once; recording allocates nothing
 * and takes no lock. A concurrent reader may miss what is being added.
 *
 * <p>The library's own histogram synchronizes with the reader on each record.
 */
final class LatencyHistogram {

    private static final double NANOS_PER_SECOND = 1e9;

    /** Upper bounds in seconds; the last bucket has none. */
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

    private static final long[] BOUND_NANOS = new long[BOUNDS.length];

    static {
        for (int i = 0; i < BOUNDS.length; i++) {
            // Rounded, as 0.0001 is not exact; infinity becomes the largest long.
            BOUND_NANOS[i] = Math.round(BOUNDS[i] * NANOS_PER_SECOND);
        }
    }

    private final LongAdder[] counts = new LongAdder[BOUNDS.length];
    private final LongAdder sumNanos = new LongAdder();

    LatencyHistogram() {
        for (int i = 0; i < counts.length; i++) {
            counts[i] = new LongAdder();
        }
    }

    void record(long nanos) {
        int bucket = 0;
        while (nanos > BOUND_NANOS[bucket]) {
            bucket++;
        }
        counts[bucket].increment();
        sumNanos.add(nanos);
    }

    ClassicHistogramBuckets buckets() {
        long[] sums = new long[counts.length];
        for (int i = 0; i < counts.length; i++) {
            sums[i] = counts[i].sum();
        }
        return ClassicHistogramBuckets.of(BOUNDS, sums);
    }

    double sumSeconds() {
        return sumNanos.sum() / NANOS_PER_SECOND;
    }
}
