package dev.quorate.testkit.check;

import dev.quorate.testkit.history.Operation;
import java.time.Duration;
import java.util.Locale;

/**
 * A kill of a node that was started again. Operations may fail from a kill until two seconds after
 * the killed node is ready: how long a process takes to start, and to answer in time, depends on
 * what else the machine does, and until then some retries of conditional writes stay undecided
 * (docs/proofs/conditional-writes.md, "The lead").
 *
 * @param nanos the time on the clock of the history
 * @param ready when the node served again, or refused to because it was removed
 */
record Kill(String what, long nanos, long ready) {

    private static final Duration FAILING = Duration.ofSeconds(2);
    private static final double NANOS_PER_MILLI = 1e6;

    long end() {
        return Math.max(nanos, ready) + FAILING.toNanos();
    }

    boolean mayFail(Operation operation) {
        return operation.ended().nanos() >= nanos && operation.began().nanos() <= end();
    }

    /** The time from this kill to the beginning of an operation that ended later. */
    long distance(Operation operation) {
        return operation.ended().nanos() < nanos
                ? Long.MAX_VALUE
                : Math.max(0, operation.began().nanos() - nanos);
    }

    @Override
    public String toString() {
        return String.format(
                Locale.ROOT,
                "%10.3f ms: %s, ready %.0f ms later",
                nanos / NANOS_PER_MILLI,
                what,
                (ready - nanos) / NANOS_PER_MILLI);
    }
}
