package dev.quorate.router.runtime;

import java.util.Arrays;
import java.util.concurrent.atomic.LongAdder;

/**
 * Counts durations in {@link DurationBuckets}. Many threads may record at once; recording allocates
 * nothing and takes no lock. A reader may miss concurrent additions.
 */
public final class DurationHistogram {

    private final LongAdder[] counts = new LongAdder[DurationBuckets.COUNT];
    private final LongAdder sumNanos = new LongAdder();

    public DurationHistogram() {
        Arrays.setAll(counts, bucket -> new LongAdder());
    }

    public void record(long nanos) {
        counts[DurationBuckets.bucketOf(nanos)].increment();
        sumNanos.add(nanos);
    }

    /** The durations counted so far. */
    public DurationCounts counts() {
        long[] now = new long[DurationBuckets.COUNT];
        Arrays.setAll(now, bucket -> counts[bucket].sum());
        return new DurationCounts(now, sumNanos.sum());
    }
}
