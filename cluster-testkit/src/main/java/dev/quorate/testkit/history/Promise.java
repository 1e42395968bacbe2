package dev.quorate.testkit.history;

/**
 * The consistency that a history is checked against. Each applies to operations of one key with the
 * same {@code from} whose acks overlap (their sum is more than {@code from}), and includes those
 * before it.
 *
 * <p>All are defined on one order: every write has a place in it (its version), and a read that
 * began after a version was settled must return nothing older.
 */
public enum Promise {

    /**
     * A read shows nothing older than what was acknowledged before it began, and a write is newer
     * than what was acknowledged before it began. Among writes that overlap in time either may win,
     * but once they are acknowledged it is the same one for everybody. A read that overlaps a write
     * may show it or not, the next one may not: Lamport's regular register (On Interprocess
     * Communication, 1986), for several writers.
     */
    QUORUM,

    /**
     * Also: a read at a majority or more leaves what it showed with a majority, so that later
     * reads, and writes, do not fall behind it. Not an atomic register yet: a write that is not
     * acknowledged may be restamped with a newer version, so that readers see B, then A, then B
     * again.
     */
    MONOTONIC,

    /**
     * All operations of a key take effect at one instant between beginning and end (Herlihy and
     * Wing, 1990). Checked against histories whose reads and writes are all at a majority, this is
     * linearizability of a register.
     */
    LINEARIZABLE
}
