package dev.quorate.node.coordinator;

import dev.quorate.node.clock.HybridClock;
import dev.quorate.node.runtime.Deadlines;
import dev.quorate.node.runtime.Ticker;

/**
 * What operations know of time.
 *
 * @param clock stamps writes
 * @param deadlines where a read waits that may become late
 * @param lateReads says when it is
 * @param timeoutNanos of one operation
 */
record OperationTimes(
        Ticker ticker,
        HybridClock clock,
        Deadlines deadlines,
        LateReads lateReads,
        long timeoutNanos) {}
