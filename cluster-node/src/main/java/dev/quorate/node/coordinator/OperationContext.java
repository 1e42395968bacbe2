package dev.quorate.node.coordinator;

import dev.quorate.node.clock.HybridClock;
import dev.quorate.node.runtime.ByteBudget;
import dev.quorate.node.runtime.Deadlines;

/**
 * What operations need of their node.
 *
 * @param largeValues what reads take the memory for values from
 * @param hints told which replicas lack what was written
 */
record OperationContext(
        OperationTimes times,
        ReplicaLookup replicas,
        ByteBudget largeValues,
        HintSink hints,
        DeferredReadRepairs deferredRepairs,
        OperationCounters counters) {

    /** A clock for durations: {@code Ticker.nanos}. */
    long nanos() {
        return times.ticker().nanos();
    }

    /** Milliseconds since 1970. */
    long wallMillis() {
        return times.ticker().wallMillis();
    }

    /** When what begins now has to be over, in {@code Ticker.nanos} time. */
    long deadlineNanos() {
        return nanos() + times.timeoutNanos();
    }

    HybridClock clock() {
        return times.clock();
    }

    Deadlines deadlines() {
        return times.deadlines();
    }

    LateReads lateReads() {
        return times.lateReads();
    }
}
