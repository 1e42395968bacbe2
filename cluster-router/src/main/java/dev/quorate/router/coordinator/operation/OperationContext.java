package dev.quorate.router.coordinator.operation;

import dev.quorate.router.clock.HybridClock;
import dev.quorate.router.runtime.Deadlines;
import dev.quorate.router.runtime.Ticker;
import dev.quorate.storage.Timestamp;

/**
 * The parts of a node that its operations use.
 *
 * @param values the memory for values that reads have found
 * @param hints notified of replicas that missed a write
 */
public record OperationContext(
        OperationTimes times,
        Views views,
        ValueRoom values,
        HintSink hints,
        DeferredReadRepairs deferredRepairs,
        OperationCounters counters) {

    /** The view of the current epoch. An operation takes it when it begins. */
    public View view() {
        return views.current();
    }

    /** A clock for durations: {@code Ticker.nanos}. */
    public long nanos() {
        return times.ticker().nanos();
    }

    /** Milliseconds since 1970. */
    public long wallMillis() {
        return times.ticker().wallMillis();
    }

    /** The deadline of an operation that begins now, in {@code Ticker.nanos} time. */
    public long deadlineNanos() {
        return nanos() + times.timeoutNanos();
    }

    /** Refuses a version that is ahead of this node's clock. */
    public Outcome ahead(Timestamp version) {
        counters.refused.increment();
        long aheadMillis = clock().aheadMillis(version.madeAt());
        return aheadMillis > clock().maxAheadMillis()
                ? new Outcome.TooFarAhead(version, aheadMillis)
                : Outcome.Refused.forNow("the version is ahead of this node's clock");
    }

    public HybridClock clock() {
        return times.clock();
    }

    public Deadlines deadlines() {
        return times.deadlines();
    }

    public LateReads lateReads() {
        return times.lateReads();
    }

    /**
     * The clocks and time limits of operations.
     *
     * @param clock stamps writes
     * @param deadlines watch for reads that become late
     * @param lateReads decides when a read is late
     * @param timeoutNanos the timeout of one operation
     */
    public record OperationTimes(
            Ticker ticker,
            HybridClock clock,
            Deadlines deadlines,
            LateReads lateReads,
            long timeoutNanos) {}
}
