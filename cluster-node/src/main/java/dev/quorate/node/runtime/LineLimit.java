package dev.quorate.node.runtime;

/**
 * Admits a number of log lines a second, and counts those that it does not. Thread-safe: its lock
 * guards the counts.
 */
public final class LineLimit {

    /** The line is not to be written. */
    public static final long OMITTED = -1;

    private static final long SECOND_NANOS = 1_000_000_000;

    private final int perSecond;
    private long secondNanos;
    private int lines;
    private long omitted;

    public LineLimit(int perSecond, long nowNanos) {
        this.perSecond = perSecond;
        this.secondNanos = nowNanos;
    }

    /**
     * Asks for one line.
     *
     * @return {@link #OMITTED}, or how many were omitted since the last one
     */
    public synchronized long next(long nowNanos) {
        if (nowNanos - secondNanos >= SECOND_NANOS) {
            secondNanos = nowNanos;
            lines = 0;
        }
        if (lines == perSecond) {
            omitted++;
            return OMITTED;
        }
        lines++;
        long before = omitted;
        omitted = 0;
        return before;
    }
}
