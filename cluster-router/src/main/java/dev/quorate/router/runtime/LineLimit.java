package dev.quorate.router.runtime;

import java.time.Duration;
import java.util.function.LongConsumer;

/**
 * Admits a limited number of log lines in each period, and counts the omitted ones. Thread-safe:
 * its lock guards the counts.
 */
public final class LineLimit {

    private static final long OMITTED = -1;

    private final int most;
    private final long periodNanos;
    private long begunNanos;
    private int lines;
    private long omitted;

    /**
     * @param most the maximum number of lines in a period
     */
    public LineLimit(int most, Duration period, long nowNanos) {
        this.most = most;
        this.periodNanos = period.toNanos();
        this.begunNanos = nowNanos;
    }

    /**
     * Writes a line, unless the period has its maximum. If the logging library throws, as an
     * appender or a library of the wrong version may, the line is lost: the calling thread may
     * complete writes, and an exception there stops the store.
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
        if (nowNanos - begunNanos >= periodNanos) {
            begunNanos = nowNanos;
            lines = 0;
        }
        if (lines == most) {
            omitted++;
            return OMITTED;
        }
        lines++;
        long before = omitted;
        omitted = 0;
        return before;
    }
}
