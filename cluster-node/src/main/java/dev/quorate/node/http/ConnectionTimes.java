package dev.quorate.node.http;

import java.time.Duration;
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

    private static final long NANOS_PER_SECOND = 1_000_000_000L;

    private final HttpDeadlines deadlines;
    private long activeAtNanos;
    private long startedAtNanos;
    private boolean isPartial;

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

    private static long grace(Duration usual, boolean isCrowded) {
        boolean isShort = isCrowded && HttpDeadlines.CROWDED.compareTo(usual) < 0;
        return (isShort ? HttpDeadlines.CROWDED : usual).toNanos();
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
            return ofReader(nowNanos, context.isOutputCrowded());
        }
        if (awaited == null) {
            return Verdict.IN_TIME;
        }
        return ofSender(
                nowNanos,
                awaited.isInBody(),
                awaited.receivedBodyBytes(),
                context.isInputCrowded());
    }

    /** Of a client for which answers are waiting. */
    Verdict ofReader(long nowNanos, boolean isCrowded) {
        long grace = grace(deadlines.writeStall(), isCrowded);
        long paced = takenBytes / deadlines.answerBytesPerSecond() * NANOS_PER_SECOND;
        boolean isStalled =
                nowNanos - activeAtNanos > grace
                        || (waits && nowNanos - waitsSinceNanos > grace + paced);
        return isStalled ? Verdict.STALLED : Verdict.IN_TIME;
    }

    /** Of a client for which nothing is waiting and no request is in flight. */
    Verdict ofSender(long nowNanos, boolean isInBody, long bodyBytes, boolean isCrowded) {
        if (!isPartial) {
            boolean isIdle = nowNanos - activeAtNanos > deadlines.idle().toNanos();
            return isIdle ? Verdict.IDLE : Verdict.IN_TIME;
        }
        long limit =
                isInBody
                        ? grace(deadlines.bodyGrace(), isCrowded)
                                + bodyBytes * NANOS_PER_SECOND / deadlines.bodyBytesPerSecond()
                        : deadlines.header().toNanos();
        return nowNanos - startedAtNanos > limit ? Verdict.REQUEST_LATE : Verdict.IN_TIME;
    }
}
