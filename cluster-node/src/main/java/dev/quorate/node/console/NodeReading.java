package dev.quorate.node.console;

import dev.quorate.node.admin.RequestTotals;
import dev.quorate.node.antientropy.RepairStatus;
import dev.quorate.node.coordinator.CoordinatorStatistics;
import dev.quorate.node.handoff.HandoffStatistics;
import dev.quorate.node.health.PeerHealth;
import dev.quorate.storage.StoreStatistics;
import java.util.List;

/**
 * A node's counters and gauges at one moment.
 *
 * @param nanos the moment, in {@code Ticker.nanos} time
 * @param heapBytes in use
 */
record NodeReading(
        long nanos,
        RequestTotals requests,
        StoreStatistics store,
        CoordinatorStatistics coordinator,
        List<PeerHealth> peers,
        HandoffStatistics hints,
        RepairStatus repairs,
        long heapBytes) {

    NodeReading {
        peers = List.copyOf(peers);
    }
}
