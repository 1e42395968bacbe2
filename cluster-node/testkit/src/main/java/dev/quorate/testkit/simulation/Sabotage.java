package dev.quorate.testkit.simulation;

/**
 * Mistakes that a cluster of this kind can have. Tests make them on purpose, one at a time, to see
 * that simulation and checker notice.
 */
enum Sabotage {
    /** The node is right. */
    NONE,

    /** A write is acknowledged before it is on the disk. */
    ACKNOWLEDGES_BEFORE_FSYNC,

    /** What was last written before the end of the process is dropped at its start. */
    LOSES_THE_END_OF_THE_LOG,

    /** A replica whose data is gone takes part as if it had never had any. */
    EMPTY_REPLICA_VOTES,

    /** What a replica did not answer in time counts as done. */
    COUNTS_TIMEOUTS_AS_ACKNOWLEDGEMENTS,

    /** Reads ask one replica, whatever number was asked for. */
    READS_FROM_ONE_REPLICA
}
