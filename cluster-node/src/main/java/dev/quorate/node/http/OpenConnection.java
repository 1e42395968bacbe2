package dev.quorate.node.http;

/** A connection, as the shared parts of its listener use it. Thread-safe. */
interface OpenConnection {

    /** The client's address, for which it counts. */
    String address();

    /** Closes the connection, or ends its request, if a deadline has passed. */
    void sweep(long nowNanos);

    /** What it does now. */
    DrainRule.Use use();

    /** When something was last answered or sent, or it was opened; as of the sweep before. */
    long activeAtNanos();

    /** How long its client has not read a waiting streamed answer. */
    long stoodNanos(long nowNanos);

    /** Releases its place for another, if its client still does not read. */
    void giveWay(long nowNanos);

    /** Closes it, answered or not. */
    void close();

    /** Closes it with a reset. */
    void reset();
}
