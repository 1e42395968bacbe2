package dev.quorate.node.http;

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

    ConnectionTimes(HttpDeadlines deadlines, long nowNanos) {
        this.deadlines = deadlines;
        activeAtNanos = nowNanos;
    }

    /** Something was answered, or some of an answer was taken. */
    void active(long nowNanos) {
        activeAtNanos = nowNanos;
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

    /** Of a client for which answers are waiting. */
    Verdict ofReader(long nowNanos) {
        boolean isStalled = nowNanos - activeAtNanos > deadlines.writeStall().toNanos();
        return isStalled ? Verdict.STALLED : Verdict.IN_TIME;
    }

    /** Of a client for which nothing is waiting and no request is in flight. */
    Verdict ofSender(long nowNanos, boolean isInBody, long bodyBytes) {
        if (!isPartial) {
            boolean isIdle = nowNanos - activeAtNanos > deadlines.idle().toNanos();
            return isIdle ? Verdict.IDLE : Verdict.IN_TIME;
        }
        long limit =
                isInBody
                        ? deadlines.bodyGrace().toNanos()
                                + bodyBytes * NANOS_PER_SECOND / deadlines.bodyBytesPerSecond()
                        : deadlines.header().toNanos();
        return nowNanos - startedAtNanos > limit ? Verdict.REQUEST_LATE : Verdict.IN_TIME;
    }
}
