package dev.quorate.loadtest.conditional;

import dev.quorate.loadtest.figures.Latencies;

/** What the clients of one run have done. Thread-safe. */
final class Tally {

    // All guarded by this.
    private final Latencies waits = new Latencies();
    private long attempts;

    /**
     * Counts a write that succeeded.
     *
     * @param nanos from its beginning, over all its attempts
     * @param attempts requests that wrote
     */
    synchronized void add(long nanos, long attempts) {
        waits.add(nanos);
        this.attempts += attempts;
    }

    synchronized Turn turn(double seconds) {
        long done = waits.count();
        return new Turn(
                done,
                done / seconds,
                done == 0 ? 0 : (double) attempts / done,
                waits.millis(0.5),
                waits.millis(0.99),
                waits.maxMillis());
    }

    /**
     * The figures of one run.
     *
     * @param done writes that succeeded
     * @param attempts for each of them
     * @param maxMillis the longest that a client waited for one
     */
    record Turn(
            long done,
            double perSecond,
            double attempts,
            double p50Millis,
            double p99Millis,
            double maxMillis) {}
}
