package dev.quorate.testkit.simulation;

/** The faults of a simulation. */
public enum SimulatedFault {
    /** A process is killed; the page cache survives. */
    KILL,

    /** A machine loses power; unsynced data is lost, in whole or in part. */
    POWER_LOSS,

    /** As {@link #POWER_LOSS}, at a step of the disk: in a flush, a compaction, or a start. */
    CRASH_AT_DISK_STEP,

    /** Every machine loses power at once. */
    POWER_LOSS_OF_ALL,

    /** Every process is killed and started again, one after the other in any order. */
    RESTART_STORM,

    /** Each node in turn is drained, stopped and started, when the others use the last one. */
    ROLLING_RESTART,

    /** A process is killed just after another has restarted. */
    TWO_IN_TURN,

    /** A process is paused and resumed. */
    PAUSE,

    /** Two nodes cannot reach each other; those between them can reach both. */
    CUT_BOTH_WAYS,

    /** No message is delivered from one node to another, but all are in the other direction. */
    CUT_ONE_WAY,

    /** A node can reach no other node. */
    ISOLATE,

    /** A node is cut off and reachable again many times a second. */
    FLAPPING,

    /** A node is cut off, another one is killed, and is started when the first one is back. */
    HEALED_DURING_RESTART,

    LOSSY,

    SLOW,

    /** A wall clock is skewed by up to a year, and is corrected. */
    CLOCK_STEP,

    /** Every machine loses power, and starts with a clock that shows the time of an earlier one. */
    CLOCKS_OF_THE_PAST,

    FAILED_FSYNC,

    /** A disk is full, and has space again. */
    FULL_DISK,

    /** A machine returns with an empty disk; no other disk is lost until it is rebuilt. */
    LOST_DISK,

    /** As {@link #LOST_DISK}, of a part of the data directory. */
    LOST_PART,

    /** A machine returns with an old copy of its disk, while no other disk is being rebuilt. */
    OLD_COPY,

    /** A bit of a table flips on a disk, always of the same node. */
    FLIPPED_BIT,

    /** An operator, or two at once, change the addresses of members. */
    MOVED_MEMBER,

    /** An operator, or two at once, add or remove a member, or cancel that. */
    CHANGED_MEMBERS
}
