package dev.quorate.loadtest.openloop;

import dev.quorate.loadtest.load.Load;

/**
 * When the requests of one connection are due, by their numbers from zero on. Times are in
 * nanoseconds from the start of the load.
 *
 * <p>At a fixed rate a request is due at its time, whatever became of those before it, and its
 * latency counts from then: what waits because an earlier answer is late is late itself. Without a
 * rate, it is due when the answer before it has come, and counts from when it is sent.
 *
 * @param firstNanos when the first is due
 * @param intervalNanos from one to the next; 0 without a rate
 * @param endNanos from when on none is due any more
 */
record Schedule(long firstNanos, double intervalNanos, long endNanos) {

    private static final long NANOS_PER_SECOND = 1_000_000_000L;
    private static final long NANOS_PER_TICK = 1_000_000;

    /**
     * Of one of all connections, which take turns: their first requests are due one after the other
     * within one interval, so that they do not come all at once.
     *
     * @param index of the connection
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

    /** When a request is due. */
    long dueNanos(long number) {
        return firstNanos + Math.round(number * intervalNanos);
    }

    /** Whether no request from this number on is sent any more. */
    boolean isOver(long number, long nowNanos) {
        return (hasRate() ? dueNanos(number) : nowNanos) >= endNanos;
    }

    /** How long a request has taken that is answered now. */
    long latencyNanos(long number, long sentNanos, long nowNanos) {
        return nowNanos - (hasRate() ? dueNanos(number) : sentNanos);
    }

    /**
     * The last tick up to then, of a clock of one millisecond: what waits for a moment is woken by
     * the first tick that is not before it.
     *
     * <p>So does wrk2, whose latencies therefore have half a millisecond more in the mean than the
     * cluster took. More exact waits would take a processor from the nodes.
     */
    static long tickAt(long nanos) {
        return Math.floorDiv(nanos, NANOS_PER_TICK);
    }

    /** The first tick from then on. */
    static long tickFrom(long nanos) {
        return Math.ceilDiv(nanos, NANOS_PER_TICK);
    }
}
