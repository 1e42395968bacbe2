package dev.quorate.node.http;

import org.jspecify.annotations.Nullable;

/**
 * When a connection did what, and what its deadlines make of that. Times are those of the last
 * sweep, so that a request costs no look at a clock.
 *
 * <p>Guarded by the connection's lock.
 */
final class ConnectionTimes {

    /** What the deadlines say. */
    enum Verdict {
        IN_TIME,
        /** No request for too long: close without a word. */
        IDLE,
        /** The request is too slow in coming: say so, then close. */
        REQUEST_LATE,
        /** The client does not take its answer: close. */
        STALLED
    }

    /** Who holds so much has to send twice as fast while others wait, and so on. */
    private static final long BYTES_OF_ONE_PACE = 1 << 20;

    private static final long NANOS_PER_SECOND = 1_000_000_000L;

    private final HttpDeadlines deadlines;
    private long activeAtNanos;
    private long startedAtNanos;
    private boolean isPartial;

    /** Until when the body that is coming has come fast enough, as of the last sweep. */
    private long bodyPacedNanos;

    private long bodySeenBytes;

    /** Since when some of an answer has waited for the client without a break. */
    private long waitsSinceNanos;

    /** Until when it has taken as much as the slowest pace asks for. */
    private long pacedNanos;

    private long takenBytes;
    private boolean waits;

    ConnectionTimes(HttpDeadlines deadlines, long nowNanos) {
        this.deadlines = deadlines;
        activeAtNanos = nowNanos;
    }

    /** Something was answered, or some of an answer was taken. */
    void active(long nowNanos) {
        activeAtNanos = nowNanos;
    }

    /** The client has taken so much, and this is what is left for it. */
    void taken(long bytes, boolean isAll, long nowNanos) {
        if (bytes > 0) {
            activeAtNanos = nowNanos;
        }
        if (isAll) {
            waits = false;
        } else if (waits) {
            takenBytes += bytes;
            double worth = (double) bytes / deadlines.answerBytesPerSecond() * NANOS_PER_SECOND;
            pacedNanos += Math.min((long) worth, nowNanos - pacedNanos);
        } else {
            waits = true;
            waitsSinceNanos = nowNanos;
            pacedNanos = nowNanos;
            takenBytes = 0;
        }
    }

    /** All input was parsed, and ended in the middle of a request or between two. */
    void parsed(boolean leavesPartial, long nowNanos) {
        if (leavesPartial && !isPartial) {
            startedAtNanos = nowNanos;
            bodyPacedNanos = nowNanos;
            bodySeenBytes = 0;
        }
        isPartial = leavesPartial;
        activeAtNanos = nowNanos;
    }

    /** A request is complete. */
    void complete() {
        isPartial = false;
    }

    boolean isPartial() {
        return isPartial;
    }

    /** The connection has begun to linger. */
    void lingering(long nowNanos) {
        startedAtNanos = nowNanos;
    }

    boolean hasLingered(long nowNanos) {
        return nowNanos - startedAtNanos > deadlines.linger().toNanos();
    }

    /**
     * For how long a client has stood still for which something waits: how far it is behind the
     * slowest pace. A few bytes are no reading: a kernel takes them for a reader that has stopped.
     */
    long stoodNanos(long nowNanos) {
        return waits ? nowNanos - pacedNanos : 0;
    }

    /**
     * Of a client, who is slow only if answers wait for it or it is to send something.
     *
     * @param awaited parses what it is to send; null while it waits for an answer itself
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
        return awaited.isInBody()
                ? ofBody(nowNanos, awaited.receivedBodyBytes(), context.bodyPressure())
                : ofHead(nowNanos, context.headPressure());
    }

    /** Of a client for which answers are waiting. */
    Verdict ofReader(long nowNanos, Pressure pressure) {
        long grace = pressure.graceOf(deadlines.writeStall()).toNanos();
        long paced = takenBytes / deadlines.answerBytesPerSecond() * NANOS_PER_SECOND;
        boolean isStalled =
                nowNanos - activeAtNanos > grace
                        || (pressure != Pressure.NONE && stoodNanos(nowNanos) > grace)
                        || (waits && nowNanos - waitsSinceNanos > grace + paced);
        return isStalled ? Verdict.STALLED : Verdict.IN_TIME;
    }

    /** Of a client that is to send a request, of whose body nothing is read yet. */
    Verdict ofHead(long nowNanos, Pressure pressure) {
        if (!isPartial) {
            boolean isIdle = nowNanos - activeAtNanos > deadlines.idle().toNanos();
            return isIdle ? Verdict.IDLE : Verdict.IN_TIME;
        }
        long limit = pressure.graceOf(deadlines.header()).toNanos();
        return nowNanos - startedAtNanos > limit ? Verdict.REQUEST_LATE : Verdict.IN_TIME;
    }

    /**
     * Of a client that sends a body. What it sent quickly is to its credit, as long as nobody else
     * misses what it holds; then only how far it is behind counts, and who holds more has to be
     * faster.
     *
     * @param bodyBytes that have come
     */
    Verdict ofBody(long nowNanos, long bodyBytes, Pressure pressure) {
        long behind = nowNanos - bodyPaced(nowNanos, bodyBytes, pressure);
        long grace = pressure.graceOf(deadlines.bodyGrace()).toNanos();
        if (!isPartial) {
            return Verdict.IN_TIME; // It has come between two sweeps, whole.
        }
        if (pressure != Pressure.NONE) {
            return behind > grace ? Verdict.REQUEST_LATE : Verdict.IN_TIME;
        }
        long limit = grace + bodyBytes * NANOS_PER_SECOND / deadlines.bodyBytesPerSecond();
        return nowNanos - startedAtNanos > limit ? Verdict.REQUEST_LATE : Verdict.IN_TIME;
    }

    /** Until when the client has sent as much as is asked of it. */
    private long bodyPaced(long nowNanos, long bodyBytes, Pressure pressure) {
        long times = pressure == Pressure.SHORT ? 1 + bodyBytes / BYTES_OF_ONE_PACE : 1;
        double worth =
                (double) (bodyBytes - bodySeenBytes)
                        / (times * deadlines.bodyBytesPerSecond())
                        * NANOS_PER_SECOND;
        bodyPacedNanos += Math.clamp((long) worth, 0, nowNanos - bodyPacedNanos);
        bodySeenBytes = bodyBytes;
        return bodyPacedNanos;
    }
}
