package dev.quorate.node.access;

import java.util.concurrent.atomic.AtomicLong;

/**
 * How much a caller may take in a second, with a burst of as much. What is counted afterwards
 * delays what comes next, for an hour at most. Thread-safe.
 *
 * <p>The moment until which everything so far is paid for runs ahead of the clock by a second at
 * most where nothing is counted afterwards (the generic cell rate algorithm, ITU-T I.371).
 */
final class CellRate {

    private static final long SECOND_NANOS = 1_000_000_000;
    private static final long BURST_NANOS = SECOND_NANOS;

    /**
     * How far the paid moment may run ahead. Whatever a client sends, and however wrong a size is,
     * its token serves again after that time.
     */
    private static final long MAX_AHEAD_NANOS = BURST_NANOS + 3_600 * SECOND_NANOS;

    /** More at once would overflow, and is more than any request has. */
    private static final long MAX_UNITS = 1L << 33;

    private final long unitsPerSecond;

    /** Zero before the first request. May be another rate's too, which this one replaces. */
    private final AtomicLong paidUntilNanos;

    private volatile boolean hasBegun;

    /**
     * @param paidUntilNanos what has been taken so far; 0 for nothing yet
     */
    CellRate(long unitsPerSecond, AtomicLong paidUntilNanos) {
        if (unitsPerSecond < 1) {
            throw new IllegalArgumentException("units a second: " + unitsPerSecond);
        }
        this.unitsPerSecond = unitsPerSecond;
        this.paidUntilNanos = paidUntilNanos;
    }

    /**
     * Counts one unit, if it may be taken now.
     *
     * @return 0 if it is counted; otherwise after how many nanoseconds it may be
     */
    long take(long nowNanos) {
        begin(nowNanos);
        while (true) {
            long before = paidUntilNanos.get();
            long after = later(before, nowNanos) + nanosOf(1);
            long aheadNanos = after - nowNanos - BURST_NANOS;
            if (aheadNanos > 0) {
                return aheadNanos;
            }
            if (paidUntilNanos.compareAndSet(before, after)) {
                return 0;
            }
        }
    }

    /** After how many nanoseconds something may be begun, whatever its size; 0 for now. */
    long waitNanos(long nowNanos) {
        begin(nowNanos);
        return Math.max(0, later(paidUntilNanos.get(), nowNanos) - nowNanos - BURST_NANOS + 1);
    }

    /** Counts what has been begun. */
    void spend(long units, long nowNanos) {
        begin(nowNanos);
        long nanos = nanosOf(Math.clamp(units, 0, MAX_UNITS));
        long most = nowNanos + MAX_AHEAD_NANOS;
        paidUntilNanos.updateAndGet(
                before -> {
                    long from = later(before, nowNanos);
                    return most - from > nanos ? from + nanos : later(from, most);
                });
    }

    private long nanosOf(long units) {
        return units * SECOND_NANOS / unitsPerSecond;
    }

    /** Nanoseconds count from anywhere, so zero is no moment of the past. */
    private void begin(long nowNanos) {
        if (!hasBegun) {
            paidUntilNanos.compareAndSet(0, nowNanos);
            hasBegun = true;
        }
    }

    private static long later(long one, long other) {
        return one - other > 0 ? one : other;
    }
}
