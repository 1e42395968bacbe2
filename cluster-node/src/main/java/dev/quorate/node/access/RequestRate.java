package dev.quorate.node.access;

import java.util.concurrent.atomic.AtomicLong;

/**
 * How many requests a caller may send in a second, with a burst of as many. What is counted
 * afterwards delays the next ones. Thread-safe.
 *
 * <p>The moment until which all requests so far are paid for runs ahead of the clock by a second at
 * most (the generic cell rate algorithm, ITU-T I.371).
 */
final class RequestRate {

    /** More than any node answers. */
    static final int MAX_PER_SECOND = 1_000_000;

    private static final long BURST_NANOS = 1_000_000_000;

    private final long nanosPerRequest;

    /** Zero before the first request. */
    private final AtomicLong paidUntilNanos = new AtomicLong();

    private volatile boolean hasBegun;

    RequestRate(int perSecond) {
        if (perSecond < 1 || perSecond > MAX_PER_SECOND) {
            throw new IllegalArgumentException("requests a second: " + perSecond);
        }
        this.nanosPerRequest = BURST_NANOS / perSecond;
    }

    /** Counts a request, if it may be sent now. */
    boolean tryTake(long nowNanos) {
        begin(nowNanos);
        while (true) {
            long before = paidUntilNanos.get();
            long after = later(before, nowNanos) + nanosPerRequest;
            if (after - nowNanos > BURST_NANOS) {
                return false;
            }
            if (paidUntilNanos.compareAndSet(before, after)) {
                return true;
            }
        }
    }

    /** Counts requests that have been begun. */
    void spend(int requests, long nowNanos) {
        begin(nowNanos);
        paidUntilNanos.updateAndGet(before -> later(before, nowNanos) + requests * nanosPerRequest);
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
