package dev.quorate.loadtest.figures;

/**
 * Durations of very many operations, and their percentiles, each at most a 32nd too long. For one
 * thread at a time.
 */
public final class Latencies {

    private static final double NANOS_PER_MILLI = 1e6;

    /** Each power of two is divided into so many steps. */
    private static final int STEPS = 32;

    private static final int STEP_BITS = 5;

    private final long[] counts = new long[(Long.SIZE - STEP_BITS) * STEPS];
    private long count;
    private long max;

    public void add(long nanos) {
        long duration = Math.max(0, nanos);
        counts[index(duration)]++;
        count++;
        max = Math.max(max, duration);
    }

    private static int index(long duration) {
        if (duration < STEPS) {
            return (int) duration;
        }
        int shift = Long.SIZE - 1 - Long.numberOfLeadingZeros(duration) - STEP_BITS;
        return (shift + 1) * STEPS + (int) (duration >>> shift) - STEPS;
    }

    private static long longestOf(int index) {
        if (index < STEPS) {
            return index;
        }
        int shift = index / STEPS - 1;
        return ((long) (index % STEPS + STEPS + 1) << shift) - 1;
    }

    /** The duration that this share of operations did not exceed, in milliseconds. */
    public double millis(double share) {
        long rank = (long) Math.ceil(count * share);
        long seen = 0;
        for (int i = 0; i < counts.length; i++) {
            seen += counts[i];
            if (seen >= rank && seen > 0) {
                return Math.min(max, longestOf(i)) / NANOS_PER_MILLI;
            }
        }
        return 0;
    }

    /** How many there are. */
    public long count() {
        return count;
    }

    public double maxMillis() {
        return max / NANOS_PER_MILLI;
    }
}
