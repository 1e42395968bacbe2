package dev.quorate.node.http;

/** What the shared parts of a listener do with one of its connections. Safe for many threads. */
interface OpenConnection {

    /** Closes the connection, or ends its request, if a deadline has passed. */
    void sweep(long nowNanos);

    /** Whether no request is in flight, in part here, or not wholly answered. */
    boolean isIdle();

    /** For how long its reader has stood still while a streamed answer waits for it. */
    long stoodNanos(long nowNanos);

    /** Gives its place up to another, if its reader does stand still. */
    void giveWay(long nowNanos);

    /** Closes it, answered or not. */
    void close();

    /** Closes it, so that the client sees an error rather than an end. */
    void reset();
}
