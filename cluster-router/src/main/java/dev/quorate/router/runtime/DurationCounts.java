package dev.quorate.router.runtime;

import java.util.Arrays;

/** How many durations fell into each of {@link DurationBuckets}, and their sum. Immutable. */
public final class DurationCounts {

    /** Of nothing. */
    public static final DurationCounts NONE =
            new DurationCounts(new long[DurationBuckets.COUNT], 0);

    private static final double NANOS_PER_SECOND = 1e9;

    private final long[] counts;
    private final long sumNanos;

    /** Takes the array over. */
    DurationCounts(long[] counts, long sumNanos) {
        this.counts = counts;
        this.sumNanos = sumNanos;
    }

    /** How many there were. */
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
     * Those since an earlier reading of the same histogram. A reading may miss what is being added,
     * so that no bucket counts as less than empty.
     */
    public DurationCounts since(DurationCounts earlier) {
        long[] differences = counts.clone();
        for (int i = 0; i < differences.length; i++) {
            differences[i] = Math.max(differences[i] - earlier.counts[i], 0);
        }
        return new DurationCounts(differences, Math.max(sumNanos - earlier.sumNanos, 0));
    }

    /** How many fell into each bucket of {@link DurationBuckets#metricsSeconds}. */
    public long[] inMetrics() {
        double[] seconds = DurationBuckets.metricsSeconds();
        long[] ofEach = new long[seconds.length];
        long before = 0;
        for (int i = 0; i < ofEach.length; i++) {
            // Rounded, as 0.0001 is not exact; infinity becomes the largest long.
            long upTo = upTo(Math.round(seconds[i] * NANOS_PER_SECOND));
            ofEach[i] = upTo - before;
            before = upTo;
        }
        return ofEach;
    }

    /** How many were not longer than that, which must be a bound of a bucket. */
    public long upTo(long boundNanos) {
        long count = 0;
        for (int i = 0; i < counts.length && DurationBuckets.boundNanos(i) <= boundNanos; i++) {
            count += counts[i];
        }
        return count;
    }

    /**
     * The duration that this part of them does not exceed, to within a quarter: a bucket's
     * durations are taken to be spread evenly. NaN if there were none.
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
                    return from; // The longest are in one bucket.
                }
                long to = DurationBuckets.boundNanos(i);
                return from + (to - from) * Math.max(wanted - before, 0) / counts[i];
            }
            before += counts[i];
        }
        return DurationBuckets.boundNanos(counts.length - 2);
    }
}
