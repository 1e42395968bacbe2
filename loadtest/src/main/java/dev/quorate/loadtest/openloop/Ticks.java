package dev.quorate.loadtest.openloop;

/**
 * A clock of one millisecond: what waits for a moment is woken by the first tick that is not before
 * it.
 *
 * <p>So does wrk2, whose latencies therefore have half a millisecond more in the mean than the
 * cluster took. More exact waits would take a processor from the nodes.
 */
final class Ticks {

    private static final long NANOS = 1_000_000;

    private Ticks() {}

    /** The last tick up to then. */
    static long at(long nanos) {
        return Math.floorDiv(nanos, NANOS);
    }

    /** The first tick from then on. */
    static long from(long nanos) {
        return Math.ceilDiv(nanos, NANOS);
    }
}
