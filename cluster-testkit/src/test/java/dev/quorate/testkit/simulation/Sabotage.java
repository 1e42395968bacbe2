package dev.quorate.testkit.simulation;

/**
 * Bugs that a cluster of this kind could have. Tests inject them, one at a time, to show that
 * simulation and checker detect them.
 */
enum Sabotage {
    /** No bug. */
    NONE,

    /** A write is acknowledged before it is on the disk. */
    ACKNOWLEDGES_BEFORE_FSYNC,

    /** A start drops the last writes before the end of the process. */
    LOSES_THE_END_OF_THE_LOG,

    /** A replica that lost its disk votes as if it were new. */
    EMPTY_REPLICA_VOTES,

    /** A replica that lost a part of its directory votes. */
    INCOMPLETE_REPLICA_VOTES,

    /** A replica with an old copy of its directory votes. */
    OLD_COPY_VOTES,

    /** A replica that lost its disk votes after bootstrap, without anti-entropy. */
    VOTES_AFTER_COPYING,

    /** A replica's timeout counts as an acknowledgement. */
    COUNTS_TIMEOUTS_AS_ACKNOWLEDGEMENTS,

    /** A hint counts as an acknowledgement of its replica. */
    COUNTS_HINTS_AS_ACKNOWLEDGEMENTS,

    /** A read uses one replica, whatever its quorum. */
    READS_FROM_ONE_REPLICA,

    /** A digest of a newer entry counts as agreeing with the entry of a read. */
    COUNTS_NEWER_DIGESTS_AS_AGREEING,

    /** A replica returns the entry that arrived last, not the newest. */
    LAST_TO_ARRIVE_WINS,

    /** A write that an older one supersedes is not restamped. */
    NEVER_RESTAMPS,

    /** Read repairs are acknowledged and not stored. */
    REPAIRS_NOTHING,

    /** Read repairs are restamped. */
    REPAIRS_UNDER_A_NEW_STAMP,

    /** A tombstone is dropped by age, even if a replica has not stored it. */
    DROPS_TOMBSTONES_BY_AGE,

    /** A value is dropped when it has expired by the clock of one replica. */
    EXPIRES_BY_ITS_OWN_CLOCK,

    /** A hint is replayed after the tombstone of its key may have been dropped. */
    HINTS_OUTLIVE_TOMBSTONES,

    /** A replica finds nothing of what it has promised and accepted of conditional writes. */
    KEEPS_NO_RECORDS,

    /** What one replica has accepted of a conditional write is its entry at once. */
    SHOWS_WHAT_IS_ONLY_ACCEPTED,

    /** An undecided conditional write that is sent again is a new one. */
    RETRIES_ARE_NEW_WRITES,

    /** A change of the expiry writes the value that it has read, whatever came in between. */
    RENEWS_BY_PLAIN_WRITES,

    /** Writes of atomic registers do not read the newest timestamp first. */
    WRITES_WITHOUT_ASKING_FIRST,

    /**
     * A start restores neither the clock's reservation nor the newest timestamp of the store.
     * Restamps would mask this bug, so that they are off too.
     */
    FORGETS_ITS_CLOCK,

    /** A topology is used, but not written to the disk. */
    KEEPS_ITS_TOPOLOGY_IN_MEMORY,

    /** A topology of an earlier epoch is used again when a peer tells it. */
    USES_OLDER_TOPOLOGIES,

    /** A topology that this member has accepted is used before it is chosen. */
    USES_ACCEPTED_TOPOLOGIES;

    /** A simulation with this bug; called when the input is otherwise complete. */
    SimulationInput in(SimulationInput scenario) {
        long endNanos = scenario.length().plus(scenario.quietPeriod()).toNanos();
        return scenario.withBehavior(new SabotagedBehavior(this, endNanos));
    }
}
