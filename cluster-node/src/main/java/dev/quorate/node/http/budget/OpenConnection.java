package dev.quorate.node.http.budget;

/**
 * A connection, as the shared parts of its listener use it. Thread-safe. No method waits for its
 * lock, which a client may keep in use: what cannot be done at once is done soon.
 */
public interface OpenConnection {

    /** The client's address, for which it counts. */
    String address();

    /** Closes the connection, or ends its request, if a deadline has passed. */
    void sweep(long nowNanos);

    /** What it does now; {@code ANSWERING} while another thread has its lock. */
    DrainRule.Connection drains(boolean isLate);

    /**
     * How long its client has not read a waiting streamed answer; 0 while another thread has its
     * lock.
     */
    long stoodNanos(long nowNanos);

    /** Releases its place for another, if its client still does not read. */
    void giveWay(long nowNanos);

    /** Closes it, answered or not. */
    void close();

    /** Closes it with a reset. */
    void reset();
}
