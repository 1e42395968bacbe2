package dev.quorate.testkit.simulation;

/** What a simulation can break. */
public enum Fault {
    /** A process ends; what the kernel holds stays. */
    KILL,

    /** A machine stops; what was not synced is lost, in whole or in part. */
    POWER_LOSS,

    /** As {@link #POWER_LOSS}, at a step of the disk: in a flush, a compaction, or a start. */
    CRASH_AT_DISK_STEP,

    /** Every machine loses power at once. */
    POWER_LOSS_OF_ALL,

    /** Every process is killed and started again, one after the other in any order. */
    RESTART_STORM,

    /** Each node in turn is drained, stopped and started, when the others know the one before. */
    ROLLING_RESTART,

    /** A process is killed just when another one is back. */
    TWO_IN_TURN,

    /** A process stands still, and goes on. */
    PAUSE,

    /** Two nodes cannot reach each other; those between them can reach both. */
    CUT_BOTH_WAYS,

    /** Nothing gets from one node to another, though it does the other way. */
    CUT_ONE_WAY,

    /** A node can reach nobody. */
    ISOLATE,

    /** A node is cut off and reachable again many times a second. */
    FLAPPING,

    /** A node is cut off, another one is killed, and is started when the first one is back. */
    HEALED_DURING_RESTART,

    /** Messages are lost, and come twice. */
    LOSSY,

    /** Messages take long. */
    SLOW,

    /** A wall clock is wrong by up to an hour, and is set right. */
    CLOCK_STEP,

    /** Every machine loses power, and starts with a clock that shows the time of an earlier one. */
    CLOCKS_OF_THE_PAST,

    /** An fsync fails. */
    FAILED_FSYNC,

    /** A disk is full, and has space again. */
    FULL_DISK,

    /**
     * A machine stops, and comes back with an empty disk; no other's is lost until it has all again
     * that it should have.
     */
    LOST_DISK,

    /** As {@link #LOST_DISK}, of a part of the data directory. */
    LOST_PART,

    /**
     * A machine stops, and comes back with its disk as it was some seconds before; once more when
     * all others' are whole.
     */
    OLD_COPY,

    /** A bit of a table changes on a disk, always on that of the same node. */
    FLIPPED_BIT
}
