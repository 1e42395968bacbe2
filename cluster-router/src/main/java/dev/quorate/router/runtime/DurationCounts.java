package dev.quorate.router.runtime;

import java.util.Arrays;

/** The number of durations in each of {@link DurationBuckets}, and their sum. Immutable. */
public final class DurationCounts {

    public static final DurationCounts NONE =
            new DurationCounts(new long[DurationBuckets.COUNT], 0);

    private final long[] counts;
    private final long sumNanos;

    /** Takes ownership of the array. */
    DurationCounts(long[] counts, long sumNanos) {
        this.counts = counts;
        this.sumNanos = sumNanos;
    }

    public long total() {
        return Arrays.stream(counts).sum();
    }

    public long sumNanos() {
        return sumNanos;
    }

    public DurationCounts plus(DurationCounts other) {
        long[] sums = counts.clone();
        for (int i = 0; i < sums.length; i++) {
            sums[i] += other.counts[i];
        }
        return new DurationCounts(sums, sumNanos + other.sumNanos);
    }

    /**
     * The durations since an earlier reading of the same histogram. A reading may miss concurrent
     * additions, so negative differences count as 0.
     */
    public DurationCounts since(DurationCounts earlier) {
        long[] differences = counts.clone();
        for (int i = 0; i < differences.length; i++) {
            differences[i] = Math.max(differences[i] - earlier.counts[i], 0);
        }
        return new DurationCounts(differences, Math.max(sumNanos - earlier.sumNanos, 0));
    }

    /** The number of durations in each bucket of {@link DurationBuckets#metricsSeconds}. */
    public long[] inMetrics() {
        double[] seconds = DurationBuckets.metricsSeconds();
        long[] ofEach = new long[seconds.length];
        long before = 0;
        for (int i = 0; i < ofEach.length; i++) {
            // Rounded, as 0.0001 is not exact; infinity becomes the largest long.
            long upTo = upTo(Math.round(seconds[i] * 1e9));
            ofEach[i] = upTo - before;
            before = upTo;
        }
        return ofEach;
    }

    /** The number of durations up to a bound, which must be that of a bucket. */
    public long upTo(long boundNanos) {
        long count = 0;
        for (int i = 0; i < counts.length && DurationBuckets.boundNanos(i) <= boundNanos; i++) {
            count += counts[i];
        }
        return count;
    }

    /**
     * A quantile of the durations, exact to within a quarter: those of a bucket are assumed to be
     * spread evenly. NaN if there are none.
     *
     * @param part 0 to 1
     */
    public double quantileNanos(double part) {
        long total = total();
        if (total == 0) {
            return Double.NaN;
        }
        double wanted = part * total;
        long before = 0;
        for (int i = 0; i < counts.length; i++) {
            if (counts[i] > 0 && before + counts[i] >= wanted) {
                long from = i == 0 ? 0 : DurationBuckets.boundNanos(i - 1);
                if (i == counts.length - 1) {
                    return from; // The last bucket has no bound.
                }
                long to = DurationBuckets.boundNanos(i);
                return from + (to - from) * Math.max(wanted - before, 0) / counts[i];
            }
            before += counts[i];
        }
        return DurationBuckets.boundNanos(counts.length - 2);
    }
}
