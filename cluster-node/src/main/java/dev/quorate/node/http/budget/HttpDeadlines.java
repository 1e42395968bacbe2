package dev.quorate.node.http.budget;

import dev.quorate.router.runtime.Requirements;
import java.time.Duration;

/**
 * Deadlines of connections. Checked every {@link #SWEEP}, so each is exact to within two sweeps.
 *
 * @param header the time from a request's first byte to the end of its head. If longer, slow
 *     attackers occupy connections longer. The default is 10 s.
 * @param bodyGrace the time for a body in addition to its size at {@code bodyBytesPerSecond}. The
 *     default is 30 s.
 * @param bodyBytesPerSecond the slowest pace at which a body may arrive. The default is 65,536.
 * @param idle how long a connection may wait for its next request. Must be longer than clients keep
 *     idle connections, or their first request after a pause fails. The default is 75 s.
 * @param writeStall how long a client may read nothing of its answer, and the time for it in
 *     addition to its size at {@code answerBytesPerSecond}. The default is 30 s.
 * @param answerBytesPerSecond the slowest pace at which a client may read an answer that does not
 *     fit into the kernel's buffers, or a streamed one. The default is 16,384.
 * @param room how long a large body waits for room, unread, before it is refused: as long as an
 *     operation may take. The default is 1 s.
 * @param linger how long input is read and discarded after an error, so that the error reaches a
 *     client that is still sending. The default is 2 s.
 */
public record HttpDeadlines(
        Duration header,
        Duration bodyGrace,
        int bodyBytesPerSecond,
        Duration idle,
        Duration writeStall,
        int answerBytesPerSecond,
        Duration room,
        Duration linger) {

    /** How often deadlines are checked. */
    public static final Duration SWEEP = Duration.ofMillis(500);

    public static final Duration USUAL_IDLE = Duration.ofSeconds(75);

    public HttpDeadlines {
        new Requirements()
                .require(header.isPositive(), "header must be positive")
                .require(bodyGrace.isPositive(), "bodyGrace must be positive")
                .require(idle.isPositive(), "idle must be positive")
                .require(writeStall.isPositive(), "writeStall must be positive")
                .require(room.isPositive(), "room must be positive")
                .require(linger.isPositive(), "linger must be positive")
                .require(bodyBytesPerSecond >= 1, "bodyBytesPerSecond must be at least 1")
                .require(answerBytesPerSecond >= 1, "answerBytesPerSecond must be at least 1")
                .check();
    }

    public static HttpDeadlines defaults() {
        return of(USUAL_IDLE, Duration.ofSeconds(1));
    }

    /** The defaults with other values of {@code idle} and {@code room}. */
    public static HttpDeadlines of(Duration idle, Duration room) {
        return new HttpDeadlines(
                Duration.ofSeconds(10),
                Duration.ofSeconds(30),
                65_536,
                idle,
                Duration.ofSeconds(30),
                16_384,
                room,
                Duration.ofSeconds(2));
    }
}
