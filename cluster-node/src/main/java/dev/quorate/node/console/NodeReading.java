package dev.quorate.node.console;

import dev.quorate.node.admin.RequestMetrics.RequestTotals;
import dev.quorate.node.antientropy.Repairs;
import dev.quorate.node.handoff.HandoffStatistics;
import dev.quorate.router.health.PeerHealth;
import dev.quorate.router.runtime.LogTimes;
import dev.quorate.storage.Figures;
import java.util.List;

/**
 * A node's counters and gauges at one moment.
 *
 * @param nanos the moment, in {@code Ticker.nanos} time
 * @param heapBytes bytes of the heap in use
 */
record NodeReading(
        long nanos,
        RequestTotals requests,
        Figures figures,
        LogTimes log,
        List<PeerHealth> peers,
        HandoffStatistics hints,
        Repairs.Status repairs,
        long heapBytes) {}
