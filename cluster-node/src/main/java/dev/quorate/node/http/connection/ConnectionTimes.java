package dev.quorate.node.http.connection;

import dev.quorate.node.http.budget.HttpDeadlines;
import dev.quorate.node.http.budget.Pressure;
import dev.quorate.node.http.parse.RequestParser;
import org.jspecify.annotations.Nullable;

/**
 * Decides whether a connection is too slow. Times are those of the last sweep, so that a request
 * reads no clock.
 *
 * <p>Guarded by the connection's lock.
 */
final class ConnectionTimes {

    enum Verdict {
        IN_TIME,
        /** No request for too long: close without an answer. */
        IDLE,
        /** The request arrives too slowly: answer 408, then close. */
        REQUEST_LATE,
        /** The client does not read its answer: close. */
        STALLED
    }

    /** While memory is short, a body's required pace grows by one base pace per this many bytes. */
    private static final long BYTES_OF_ONE_PACE = 1 << 20;

    private static final long NANOS_PER_SECOND = 1_000_000_000L;

    private final HttpDeadlines deadlines;
    private long activeAtNanos;
    private long startedAtNanos;
    private boolean isPartial;

    /** The moment up to which the current body is on pace, as of the last sweep. */
    private long bodyPacedNanos;

    private long bodySeenBytes;

    /** Whether the current body was granted room since the last sweep. */
    private boolean isJustGranted;

    private boolean waitsForRoom;

    private long waitsForRoomSinceNanos;

    /** The start of the time in which an answer has waited for the client without a break. */
    private long waitsSinceNanos;

    /** The moment up to which the client has read as fast as the slowest pace. */
    private long pacedNanos;

    private long takenBytes;
    private boolean waits;

    ConnectionTimes(HttpDeadlines deadlines, long nowNanos) {
        this.deadlines = deadlines;
        activeAtNanos = nowNanos;
    }

    /** Notes that something was answered or sent. */
    void active(long nowNanos) {
        activeAtNanos = nowNanos;
    }

    /** When something was last answered, sent or parsed, or the connection was opened. */
    long activeAtNanos() {
        return activeAtNanos;
    }

    /** Notes how many bytes the client has read, and whether that was all. */
    void onRead(long bytes, boolean isAll, long nowNanos) {
        if (bytes > 0) {
            activeAtNanos = nowNanos;
        }
        if (isAll) {
            waits = false;
        } else if (waits) {
            takenBytes += bytes;
            double worth =
                    (double) bytes / HttpDeadlines.ANSWER_BYTES_PER_SECOND * NANOS_PER_SECOND;
            pacedNanos += Math.min((long) worth, nowNanos - pacedNanos);
        } else {
            waits = true;
            waitsSinceNanos = nowNanos;
            pacedNanos = nowNanos;
            takenBytes = 0;
        }
    }

    /** Notes that all input was parsed, and whether it ended within a request. */
    void parsed(boolean leavesPartial, long nowNanos) {
        if (leavesPartial && !isPartial) {
            startedAtNanos = nowNanos;
            bodyPacedNanos = nowNanos;
            bodySeenBytes = 0;
        }
        isPartial = leavesPartial;
        activeAtNanos = nowNanos;
    }

    /** Notes that a request is complete. */
    void complete() {
        isPartial = false;
        isJustGranted = false;
    }

    /** Notes that the body in flight begins to wait for room. */
    void awaitsRoom() {
        waitsForRoom = false;
    }

    /**
     * Whether a body has waited for room too long. Counts from the first sweep on, because the time
     * before is known only to within a sweep, and no client may be refused too early.
     */
    boolean hasWaitedForRoom(long nowNanos) {
        if (!waitsForRoom) {
            waitsForRoom = true;
            waitsForRoomSinceNanos = nowNanos;
        }
        return nowNanos - waitsForRoomSinceNanos >= deadlines.room().toNanos();
    }

    /** Notes that the body in flight has room: its pace counts from now on. */
    void granted() {
        isJustGranted = true;
    }

    boolean isPartial() {
        return isPartial;
    }

    /** Notes that the connection has begun to linger. */
    void lingering(long nowNanos) {
        startedAtNanos = nowNanos;
    }

    boolean hasLingered(long nowNanos) {
        return nowNanos - startedAtNanos > HttpDeadlines.LINGER.toNanos();
    }

    /**
     * How long a client has not read a waiting answer, as its delay behind the slowest pace. A few
     * bytes are not evidence of reading: the kernel takes them for a client that has stopped.
     */
    long stoodNanos(long nowNanos) {
        return waits ? nowNanos - pacedNanos : 0;
    }

    /**
     * Decides for a client, which is slow only if answers wait for it or it has to send something.
     *
     * @param awaited the parser of the client's input; null while the client waits for an answer
     */
    Verdict verdict(
            long nowNanos,
            boolean answersWait,
            @Nullable RequestParser awaited,
            ListenerContext context) {
        if (answersWait) {
            return ofReader(nowNanos, context.answerPressure());
        }
        if (awaited == null) {
            return Verdict.IN_TIME;
        }
        if (!awaited.isInBody()) {
            return ofHead(nowNanos, context.headPressure());
        }
        if (isJustGranted) {
            isJustGranted = false;
            startedAtNanos = nowNanos;
            bodyPacedNanos = nowNanos;
            bodySeenBytes = awaited.receivedBodyBytes();
            return Verdict.IN_TIME;
        }
        Pressure pressure =
                awaited.isGranted() ? context.grantedBodyPressure() : context.bodyPressure();
        return ofBody(nowNanos, awaited.receivedBodyBytes(), pressure);
    }

    /** Decides for a client for which answers wait. */
    Verdict ofReader(long nowNanos, Pressure pressure) {
        long grace = pressure.graceOf(HttpDeadlines.WRITE_STALL).toNanos();
        long paced = takenBytes / HttpDeadlines.ANSWER_BYTES_PER_SECOND * NANOS_PER_SECOND;
        boolean isStalled =
                nowNanos - activeAtNanos > grace
                        || (pressure != Pressure.NONE && stoodNanos(nowNanos) > grace)
                        || (waits && nowNanos - waitsSinceNanos > grace + paced);
        return isStalled ? Verdict.STALLED : Verdict.IN_TIME;
    }

    /** Decides for a client that has to send a request, before its body. */
    Verdict ofHead(long nowNanos, Pressure pressure) {
        if (!isPartial) {
            boolean isIdle = nowNanos - activeAtNanos > deadlines.idle().toNanos();
            return isIdle ? Verdict.IDLE : Verdict.IN_TIME;
        }
        long limit = pressure.graceOf(HttpDeadlines.HEADER).toNanos();
        return nowNanos - startedAtNanos > limit ? Verdict.REQUEST_LATE : Verdict.IN_TIME;
    }

    /**
     * Decides for a client that sends a body. Bytes sent fast are credited unless others need the
     * memory. Then only the client's delay counts, and if memory is short, a client with more bytes
     * must be faster.
     *
     * @param bodyBytes the number of bytes that have arrived
     */
    Verdict ofBody(long nowNanos, long bodyBytes, Pressure pressure) {
        long behind = nowNanos - bodyPaced(nowNanos, bodyBytes, pressure);
        long grace = pressure.graceOf(HttpDeadlines.BODY_GRACE).toNanos();
        if (!isPartial) {
            return Verdict.IN_TIME; // The body arrived completely between two sweeps.
        }
        if (pressure != Pressure.NONE) {
            return behind > grace ? Verdict.REQUEST_LATE : Verdict.IN_TIME;
        }
        long limit = grace + bodyBytes * NANOS_PER_SECOND / HttpDeadlines.BODY_BYTES_PER_SECOND;
        return nowNanos - startedAtNanos > limit ? Verdict.REQUEST_LATE : Verdict.IN_TIME;
    }

    /** The moment up to which the client is on pace. */
    private long bodyPaced(long nowNanos, long bodyBytes, Pressure pressure) {
        boolean isShort = pressure.compareTo(Pressure.SHORT) >= 0;
        long times = isShort ? 1 + bodyBytes / BYTES_OF_ONE_PACE : 1;
        double worth =
                (double) (bodyBytes - bodySeenBytes)
                        / (times * HttpDeadlines.BODY_BYTES_PER_SECOND)
                        * NANOS_PER_SECOND;
        bodyPacedNanos += Math.clamp((long) worth, 0, nowNanos - bodyPacedNanos);
        bodySeenBytes = bodyBytes;
        return bodyPacedNanos;
    }
}
