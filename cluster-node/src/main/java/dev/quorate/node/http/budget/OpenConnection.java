package dev.quorate.node.http.budget;

/**
 * A connection, as the shared parts of its listener use it. Thread-safe. No method waits for its
 * lock, which a client may keep in use: an action that is not possible at once follows soon.
 */
public interface OpenConnection {

    /** The client's address, to which the connection counts. */
    String address();

    /** Closes the connection, or ends its request, if a deadline has passed. */
    void sweep(long nowNanos);

    /** Its current use; {@code ANSWERING} while another thread has its lock. */
    DrainRule.Connection drains(boolean isLate);

    /**
     * How long its client has not read a waiting streamed answer; 0 while another thread has its
     * lock.
     */
    long stoodNanos(long nowNanos);

    /** Releases its place for another connection, if its client still does not read. */
    void yieldPlace(long nowNanos);

    /** Closes it, answered or not. */
    void close();

    void reset();
}
