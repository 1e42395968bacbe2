package dev.quorate.node.http.connection;

import java.io.IOException;

/**
 * The form in which a connection's bytes go through its socket: as they are, or encrypted. Nothing
 * blocks. Called with the connection's lock held.
 */
interface Wire {

    /**
     * Reads what clients have sent.
     *
     * @param most at most so many bytes, from the beginning of the buffer
     * @return how many bytes; 0 if there are none now
     * @throws one.nio.net.SocketClosedException at the end of the input
     */
    int read(byte[] buffer, int most) throws IOException;

    /** Reads bytes that nobody will parse; returns how many came through the socket. */
    int discard(byte[] buffer) throws IOException;

    /**
     * Sends bytes; returns how many were taken, all or some of which may be {@link #unsentBytes}.
     */
    int write(byte[] bytes, int from, int count, int flags) throws IOException;

    /** Sends what was taken and not sent. */
    void flush() throws IOException;

    /** The bytes that were taken, and that the socket has not taken. */
    long unsentBytes();

    /** Whether there is input without any more from the socket. */
    boolean hasInput();

    /** Whether the socket's input is of no use at the moment. */
    boolean isPaused();

    /** Ends the output in the way of the protocol, before that of the socket ends. */
    void endOutput();

    /** Releases what it has reserved. */
    void release();
}
