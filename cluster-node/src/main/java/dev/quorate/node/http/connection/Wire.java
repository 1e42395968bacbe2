package dev.quorate.node.http.connection;

import java.io.IOException;

/**
 * The form in which a connection's bytes go through its socket: as they are, or encrypted. Nothing
 * blocks. Called with the connection's lock held.
 */
interface Wire {

    /**
     * Reads bytes that the client has sent.
     *
     * @param most maximum number of bytes to read, into the start of the buffer
     * @return the number of bytes; 0 if there are none now
     * @throws one.nio.net.SocketClosedException at the end of the input
     */
    int read(byte[] buffer, int most) throws IOException;

    /** Reads bytes that will not be parsed; returns how many the socket delivered. */
    int discard(byte[] buffer) throws IOException;

    /**
     * Sends bytes; returns the number accepted, all or some of which may be {@link #unsentBytes}.
     */
    int write(byte[] bytes, int from, int count, int flags) throws IOException;

    /** Sends bytes that were accepted and not sent. */
    void flush() throws IOException;

    /** The number of accepted bytes that the socket has not accepted. */
    long unsentBytes();

    /** Whether there is input without reading more from the socket. */
    boolean hasInput();

    /** Whether the socket's input cannot be used at the moment. */
    boolean isPaused();

    /** Ends the output of the protocol, before the output of the socket ends. */
    void endOutput();

    void release();
}
