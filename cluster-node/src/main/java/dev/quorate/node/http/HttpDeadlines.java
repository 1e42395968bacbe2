package dev.quorate.node.http;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * Deadlines of connections. Checked every {@link #SWEEP}, so each is exact to within two sweeps.
 *
 * @param header from a request's first byte to the end of its head. Longer: slow attackers occupy
 *     connections longer. The default is 10 s.
 * @param bodyGrace the time for a body beyond its size at {@code bodyBytesPerSecond}. The default
 *     is 30 s.
 * @param bodyBytesPerSecond the slowest pace at which a body may arrive. The default is 65,536.
 * @param idle how long a connection may wait for its next request. Must be longer than clients keep
 *     idle connections, or their first request after a pause fails. The default is 75 s.
 * @param writeStall how long a client may not read its answer at all, and the time for it beyond
 *     its size at {@code answerBytesPerSecond}. The default is 30 s.
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

    public HttpDeadlines {
        List<String> violations = new ArrayList<>();
        requirePositive(violations, "header", header);
        requirePositive(violations, "bodyGrace", bodyGrace);
        requirePositive(violations, "idle", idle);
        requirePositive(violations, "writeStall", writeStall);
        requirePositive(violations, "room", room);
        requirePositive(violations, "linger", linger);
        if (bodyBytesPerSecond < 1) {
            violations.add("bodyBytesPerSecond must be at least 1");
        }
        if (answerBytesPerSecond < 1) {
            violations.add("answerBytesPerSecond must be at least 1");
        }
        if (!violations.isEmpty()) {
            throw new IllegalArgumentException(String.join("; ", violations));
        }
    }

    private static void requirePositive(List<String> violations, String name, Duration duration) {
        if (duration.compareTo(Duration.ZERO) <= 0) {
            violations.add(name + " must be positive");
        }
    }

    public static HttpDeadlines defaults() {
        return new HttpDeadlines(
                Duration.ofSeconds(10),
                Duration.ofSeconds(30),
                65_536,
                Duration.ofSeconds(75),
                Duration.ofSeconds(30),
                16_384,
                Duration.ofSeconds(1),
                Duration.ofSeconds(2));
    }

    public HttpDeadlines withRoom(Duration newRoom) {
        return new HttpDeadlines(
                header,
                bodyGrace,
                bodyBytesPerSecond,
                idle,
                writeStall,
                answerBytesPerSecond,
                newRoom,
                linger);
    }

    public HttpDeadlines withIdle(Duration newIdle) {
        return new HttpDeadlines(
                header,
                bodyGrace,
                bodyBytesPerSecond,
                newIdle,
                writeStall,
                answerBytesPerSecond,
                room,
                linger);
    }
}
