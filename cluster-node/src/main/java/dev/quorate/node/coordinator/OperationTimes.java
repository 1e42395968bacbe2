package dev.quorate.node.coordinator;

import dev.quorate.node.clock.HybridClock;
import dev.quorate.node.runtime.Deadlines;
import dev.quorate.node.runtime.Ticker;

/**
 * The clocks and time limits of operations.
 *
 * @param clock stamps writes
 * @param deadlines watch for reads that become late
 * @param lateReads decides when a read is late
 * @param timeoutNanos of one operation
 */
record OperationTimes(
        Ticker ticker,
        HybridClock clock,
        Deadlines deadlines,
        LateReads lateReads,
        long timeoutNanos) {}
