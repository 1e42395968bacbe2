package dev.quorate.node.transport;

/**
 * What came to the door since it was opened.
 *
 * @param exchanges genuine exchanges that were answered, probes too
 * @param operations operations in those
 * @param deferred answers that did not fit and are asked for again
 * @param malformed frames that were none, or of another protocol version
 * @param unsealed frames without the cluster's seal
 * @param refused genuine exchanges refused for topology, recipient, clock or replay
 */
public record DoorStatistics(
        long exchanges,
        long operations,
        long deferred,
        long malformed,
        long unsealed,
        long refused) {}
