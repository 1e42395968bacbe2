package dev.quorate.node.coordinator;

/**
 * What a coordinator has done since it was made, and does now.
 *
 * @param outstanding reads and writes under way
 * @param readLimit reads that are let in now
 * @param writeLimit writes that are let in now
 * @param openScans ranges that are open
 * @param readQuorumFailures reads that too few replicas answered
 * @param writeQuorumFailures writes that too few replicas acknowledged
 * @param refused operations refused with nothing attempted
 * @param restamps writes sent again with a later timestamp, because a replica held a newer entry
 * @param readRepairs reads whose answers differed, and that sent the newest to those who lacked it
 * @param hedges how often a read was late, and asked further replicas
 * @param deferredRepairs keys read from all replicas in the background, because they had differed
 * @param droppedRepairs keys that were not, for want of room
 * @param versionsTaken writes refused because their version is another write's
 */
public record CoordinatorStatistics(
        int outstanding,
        int readLimit,
        int writeLimit,
        int openScans,
        long readQuorumFailures,
        long writeQuorumFailures,
        long refused,
        long restamps,
        long readRepairs,
        long hedges,
        long deferredRepairs,
        long droppedRepairs,
        long versionsTaken) {}
