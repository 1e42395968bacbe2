package dev.quorate.node.handoff;

/** Why a write that a replica missed is left to other kinds of repair. */
enum Dropped {
    /** So much is kept for it already, or this write is too large to be kept. */
    LIMIT,
    /** It is older than the window. */
    AGE,
    /** There is no room on disk or in memory, or the disk is too slow. */
    ROOM,
    /** By the topology of today, the replica is none of the key. */
    TOPOLOGY,
    /** What was kept cannot be read. */
    DAMAGE
}
