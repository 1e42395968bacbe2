package dev.quorate.node.coordinator;

/**
 * What a coordinator has done since it was made, and does now.
 *
 * @param outstanding reads and writes under way
 * @param openScans ranges that are open
 * @param readQuorumFailures reads that too few replicas answered
 * @param writeQuorumFailures writes that too few replicas acknowledged
 * @param refused operations refused with nothing attempted
 * @param restamps writes sent again with a later timestamp, because a replica held a newer entry
 */
public record CoordinatorStatistics(
        int outstanding,
        int openScans,
        long readQuorumFailures,
        long writeQuorumFailures,
        long refused,
        long restamps) {}
