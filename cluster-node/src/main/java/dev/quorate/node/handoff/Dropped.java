package dev.quorate.node.handoff;

/** Why a hint was not stored or not sent, and the write is left to repair. */
enum Dropped {
    /** The limit of hints for the replica is reached, or the write is too large. */
    LIMIT,
    /** It is older than the window. */
    AGE,
    /** There is no room on disk or in memory, or the disk is too slow. */
    ROOM,
    /** By the current topology, the member does not own the key. */
    TOPOLOGY,
    /** The hint cannot be read. */
    DAMAGE
}
