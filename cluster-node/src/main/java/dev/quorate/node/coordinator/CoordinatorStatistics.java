package dev.quorate.node.coordinator;

/**
 * A coordinator's counters since it was created, and its gauges.
 *
 * @param outstanding reads and writes in progress
 * @param readLimit the current limit of reads in progress
 * @param writeLimit the current limit of writes in progress
 * @param openScans ranges that are open
 * @param readQuorumFailures reads that too few replicas answered
 * @param writeQuorumFailures writes that too few replicas acknowledged
 * @param refused operations refused without asking any replica
 * @param restamps writes sent again with a later timestamp, because a replica had a newer entry
 * @param readRepairs reads that sent the newest entry to replicas that lacked it
 * @param hedges how often a late read asked further replicas
 * @param deferredRepairs keys read from all replicas in the background, because replicas differed
 * @param droppedRepairs such keys that were dropped for want of room
 * @param versionsTaken writes refused because another write has their version
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
