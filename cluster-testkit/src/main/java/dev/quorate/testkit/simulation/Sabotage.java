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

    /** A replica whose disk was lost takes part as if it had never had any. */
    EMPTY_REPLICA_VOTES,

    /** A replica that lost a part of its directory takes part. */
    INCOMPLETE_REPLICA_VOTES,

    /** A replica with an old copy of its directory takes part. */
    OLD_COPY_VOTES,

    /** A replica whose disk was lost takes part when it has copied, and compares with nobody. */
    VOTES_AFTER_COPYING,

    /** What a replica did not answer in time counts as done. */
    COUNTS_TIMEOUTS_AS_ACKNOWLEDGEMENTS,

    /** What the coordinator keeps for a replica that missed a write counts as that replica's. */
    COUNTS_HINTS_AS_ACKNOWLEDGEMENTS,

    /** Reads ask one replica, whatever number was asked for. */
    READS_FROM_ONE_REPLICA,

    /** A digest of something newer counts as if it were one of the entry that a read has. */
    COUNTS_NEWER_DIGESTS_AS_AGREEING,

    /** A replica gives what came last, not what is newest. */
    LAST_TO_ARRIVE_WINS,

    /** A write that is hidden by an older one is not restamped. */
    NEVER_STAMPS_ANEW,

    /** What reads send to those who lack it is acknowledged, and not kept. */
    REPAIRS_NOTHING,

    /** What reads send to those who lack it gets a timestamp of its own. */
    REPAIRS_UNDER_A_NEW_STAMP,

    /** A tombstone is forgotten when it is old, whoever has not had it. */
    DROPS_TOMBSTONES_BY_AGE,

    /** A value is dropped when it has expired by the clock of the replica alone. */
    EXPIRES_BY_ITS_OWN_CLOCK,

    /** What was written comes to replicas once more when its tombstone may be gone. */
    HINTS_OUTLIVE_TOMBSTONES,

    /** Writes of atomic registers do not ask for the newest timestamp first. */
    WRITES_WITHOUT_ASKING_FIRST,

    /**
     * A node that starts knows neither how far its clock was nor the newest entry of its store. As
     * stamping anew alone makes good for that, it does not do that either.
     */
    FORGETS_ITS_CLOCK
}
