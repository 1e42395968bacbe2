package dev.quorate.testkit.history;

/**
 * The consistency that a history is checked against. A promise applies to operations of one key
 * with the same {@code from} whose acks overlap (their sum exceeds {@code from}). Each promise
 * includes the previous ones.
 *
 * <p>All are defined on one order of the writes, their versions: a read that began after a version
 * was settled must not return an older one.
 */
public enum Promise {

    /**
     * A read shows nothing older than the writes acknowledged before it began, and a write is newer
     * than the writes acknowledged before it began. Of writes that overlap in time, any may win,
     * but once they are acknowledged all clients see the same winner. A read that overlaps a write
     * may show it, and a later read may not: Lamport's regular register (On Interprocess
     * Communication, 1986), for several writers.
     */
    QUORUM,

    /**
     * In addition, a read at a majority or more stores the value that it returns at a majority, so
     * that later reads and writes do not fall behind it. This is not an atomic register: an
     * unacknowledged write may be restamped with a newer version, so that readers see B, then A,
     * then B again.
     */
    MONOTONIC,

    /**
     * Each operation of a key takes effect at one instant between its beginning and its end
     * (Herlihy and Wing, 1990). For histories whose operations all use majorities, this is the
     * linearizability of a register.
     */
    LINEARIZABLE
}
