package dev.quorate.loadtest.engine;

import java.util.Arrays;

/** Durations of some of very many operations, and their percentiles. For one thread. */
final class Latencies {

    private static final double NANOS_PER_MILLI = 1e6;

    private final long[] nanos;
    private int count;

    /**
     * Has room for a number of durations; what comes beyond it is left out.
     *
     * @param capacity how many
     */
    Latencies(int capacity) {
        nanos = new long[capacity];
    }

    void add(long duration) {
        if (count < nanos.length) {
            nanos[count++] = duration;
        }
    }

    /** The duration that this share of operations did not exceed, in milliseconds. */
    double millis(double share) {
        long[] sorted = Arrays.copyOf(nanos, count);
        Arrays.sort(sorted);
        return sorted[Math.min(count - 1, (int) (count * share))] / NANOS_PER_MILLI;
    }

    double maxMillis() {
        return millis(1);
    }
}
