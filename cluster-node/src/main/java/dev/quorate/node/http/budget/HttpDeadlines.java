package dev.quorate.node.http.budget;

import dev.quorate.router.runtime.Requirements;
import java.time.Duration;

/**
 * Deadlines of connections. Checked every {@link #SWEEP}, so each is exact to within two sweeps.
 *
 * @param idle how long a connection may wait for its next request. Must be longer than clients keep
 *     idle connections, or their first request after a pause fails. The default is 75 s.
 * @param room how long a large body waits for room, unread, before it is refused: as long as an
 *     operation may take. The default is 1 s.
 */
public record HttpDeadlines(Duration idle, Duration room) {

    /** How often deadlines are checked. */
    public static final Duration SWEEP = Duration.ofMillis(500);

    public static final Duration USUAL_IDLE = Duration.ofSeconds(75);

    /**
     * The time from a request's first byte to the end of its head. If longer, slow attackers occupy
     * connections longer.
     */
    public static final Duration HEADER = Duration.ofSeconds(10);

    /** The time for a body in addition to its size at {@link #BODY_BYTES_PER_SECOND}. */
    public static final Duration BODY_GRACE = Duration.ofSeconds(30);

    /** The slowest pace at which a body may arrive. */
    public static final int BODY_BYTES_PER_SECOND = 65_536;

    /**
     * How long a client may read nothing of its answer, and the time for it in addition to its size
     * at {@link #ANSWER_BYTES_PER_SECOND}.
     */
    public static final Duration WRITE_STALL = Duration.ofSeconds(30);

    /**
     * The slowest pace at which a client may read an answer that does not fit into the kernel's
     * buffers, or a streamed one.
     */
    public static final int ANSWER_BYTES_PER_SECOND = 16_384;

    /**
     * How long input is read and discarded after an error, so that the error reaches a client that
     * is still sending.
     */
    public static final Duration LINGER = Duration.ofSeconds(2);

    public HttpDeadlines {
        new Requirements()
                .require(idle.isPositive(), "idle must be positive")
                .require(room.isPositive(), "room must be positive")
                .check();
    }

    public static HttpDeadlines defaults() {
        return new HttpDeadlines(USUAL_IDLE, Duration.ofSeconds(1));
    }
}
