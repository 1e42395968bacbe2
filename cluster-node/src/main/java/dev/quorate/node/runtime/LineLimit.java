package dev.quorate.node.runtime;

import java.util.function.LongConsumer;

/**
 * Admits a number of log lines a second, and counts those that it does not. Thread-safe: its lock
 * guards the counts.
 */
public final class LineLimit {

    private static final long OMITTED = -1;

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
     * Writes a line, unless there were too many. If the logging library throws, as an appender or a
     * library of the wrong version may, the line is lost: the calling thread may complete writes,
     * and an exception there stops the store.
     *
     * @param line writes the line; gets the number of lines omitted since the last one
     * @return whether it was written
     */
    public boolean write(long nowNanos, LongConsumer line) {
        long before = next(nowNanos);
        if (before == OMITTED) {
            return false;
        }
        try {
            line.accept(before);
            return true;
        } catch (RuntimeException | Error e) {
            return false;
        }
    }

    private synchronized long next(long nowNanos) {
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
