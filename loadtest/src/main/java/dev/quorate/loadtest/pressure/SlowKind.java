package dev.quorate.loadtest.pressure;

import java.nio.ByteBuffer;
import java.time.Duration;

/** How a client can be slow. */
public enum SlowKind {
    /** A header that never ends, a byte a second. */
    HEADS(
            Duration.ofSeconds(10),
            "GET /v0/status HTTP/1.1\r\nHost: localhost\r\nX-Slow: ",
            true,
            0),
    /** A body of a megabyte, a byte a second. */
    BODIES(
            Duration.ofSeconds(30),
            "PUT /v0/entity?id=slow HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000000\r\n\r\n",
            true,
            0),
    /** An answer of a megabyte, of which nothing is read. */
    READERS(
            Duration.ofSeconds(30),
            "GET /v0/entity?id=" + SlowClients.LARGE_KEY + " HTTP/1.1\r\nHost: localhost\r\n\r\n",
            false,
            0),
    /** The same, read at a kilobyte a second. */
    SIPPERS(
            Duration.ofSeconds(33),
            "GET /v0/entity?id=" + SlowClients.LARGE_KEY + " HTTP/1.1\r\nHost: localhost\r\n\r\n",
            false,
            1024),
    /** All entities of the cluster, of which nothing is read. */
    RANGES(
            Duration.ofSeconds(30),
            "GET /v0/entities?start=%00 HTTP/1.1\r\nHost: localhost\r\n\r\n",
            false,
            0),
    /** A connection on which nothing is sent at all. */
    IDLE(Duration.ofSeconds(75), "", false, 0);

    private final Duration deadline;
    private final String start;
    private final boolean drips;
    private final int sipBytes;

    SlowKind(Duration deadline, String start, boolean drips, int sipBytes) {
        this.deadline = deadline;
        this.start = start;
        this.drips = drips;
        this.sipBytes = sipBytes;
    }

    /** When a node with default options closes such a connection, from its first byte on. */
    public Duration deadline() {
        return deadline;
    }

    ByteBuffer start() {
        return Requests.bytes(start);
    }

    /** Whether it goes on sending, a byte a second. */
    boolean drips() {
        return drips;
    }

    /** Bytes that are read in a second. */
    int sipBytes() {
        return sipBytes;
    }

    /** Whether everything is read that comes: then it shows that the node closes. */
    boolean reads() {
        return switch (this) {
            case HEADS, BODIES, IDLE -> true;
            case READERS, SIPPERS, RANGES -> false;
        };
    }
}
