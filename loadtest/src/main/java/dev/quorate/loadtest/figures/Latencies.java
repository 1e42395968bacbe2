package dev.quorate.loadtest.figures;

import org.HdrHistogram.Histogram;

/**
 * Durations of very many operations, and their percentiles, each at most a hundredth too long. For
 * one thread at a time.
 */
public final class Latencies {

    private static final double NANOS_PER_MILLI = 1e6;
    private static final int DIGITS = 2;

    private final Histogram nanos = new Histogram(DIGITS);

    /** One that is below zero, since clocks of two processors may differ, counts as zero. */
    public void add(long duration) {
        nanos.recordValue(Math.max(0, duration));
    }

    /** The duration that this share of operations did not exceed, in milliseconds. */
    public double millis(double share) {
        return nanos.getValueAtPercentile(100 * share) / NANOS_PER_MILLI;
    }

    /** How many there are. */
    public long count() {
        return nanos.getTotalCount();
    }

    public double maxMillis() {
        return nanos.getMaxValue() / NANOS_PER_MILLI;
    }
}
