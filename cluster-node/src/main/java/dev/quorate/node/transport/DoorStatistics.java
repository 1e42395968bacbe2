package dev.quorate.node.transport;

/**
 * Counters of the peers' door since it was opened.
 *
 * @param exchanges authentic exchanges that were answered, including probes
 * @param operations operations in those
 * @param deferred answers that did not fit
 * @param malformed malformed frames, or frames of another protocol version
 * @param unsealed frames without the cluster's seal
 * @param refused authentic exchanges refused because of topology, recipient, clock or replay
 */
public record DoorStatistics(
        long exchanges,
        long operations,
        long deferred,
        long malformed,
        long unsealed,
        long refused) {}
