package dev.quorate.loadtest.openloop;

import dev.quorate.loadtest.load.Load;

/**
 * The due times of the requests of one connection, which are numbered from 0. Times are in
 * nanoseconds from the start of the load.
 *
 * <p>At a fixed rate, the due time of a request does not depend on earlier requests, and its
 * latency counts from the due time: a request that waits for a late answer is late itself. Without
 * a rate, a request is due when the previous one is answered, and its latency counts from when it
 * is sent.
 *
 * @param intervalNanos the time between two requests; 0 without a rate
 * @param endNanos the end of the schedule, exclusive
 */
record Schedule(long firstNanos, double intervalNanos, long endNanos) {

    private static final long NANOS_PER_SECOND = 1_000_000_000L;
    private static final long NANOS_PER_TICK = 1_000_000;

    /**
     * The schedule of the connection with an index. The first requests of all connections are
     * spread evenly over one interval.
     */
    static Schedule of(int index, Load load) {
        Load.Timing timing = load.timing();
        long seconds = (long) timing.warmUpSeconds() + timing.seconds();
        long end = seconds * NANOS_PER_SECOND;
        if (timing.rate() == 0) {
            return new Schedule(0, 0, end);
        }
        double gap = (double) NANOS_PER_SECOND / timing.rate();
        return new Schedule(Math.round(gap * index), gap * load.clients().connections(), end);
    }

    boolean hasRate() {
        return intervalNanos > 0;
    }

    long dueNanos(long number) {
        return firstNanos + Math.round(number * intervalNanos);
    }

    /** Whether the request with this number, and all later ones, are after the end. */
    boolean isOver(long number, long nowNanos) {
        return (hasRate() ? dueNanos(number) : nowNanos) >= endNanos;
    }

    long latencyNanos(long number, long sentNanos, long nowNanos) {
        return nowNanos - (hasRate() ? dueNanos(number) : sentNanos);
    }

    /**
     * The last tick of a clock of one millisecond that is not after a time. A wait for a time ends
     * with the first tick that is not before it.
     *
     * <p>As in wrk2, measured latencies are therefore half a millisecond too long on average. More
     * exact waits would take processor time from the nodes.
     */
    static long tickAt(long nanos) {
        return Math.floorDiv(nanos, NANOS_PER_TICK);
    }

    /** The first tick that is not before a time. */
    static long tickFrom(long nanos) {
        return Math.ceilDiv(nanos, NANOS_PER_TICK);
    }
}
