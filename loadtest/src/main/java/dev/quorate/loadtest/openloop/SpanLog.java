package dev.quorate.loadtest.openloop;

import dev.quorate.loadtest.load.Span;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Spans of one thread, as numbers, so that a busy thread makes no objects for them. Bounded: what
 * comes when it is full is only counted. Times are in nanoseconds from the start of the load.
 */
final class SpanLog {

    /** 16 MiB of each thread. */
    static final int MAX_SPANS = 1 << 20;

    private static final int FIRST_SPANS = 1 << 10;

    private long[] times = new long[2 * FIRST_SPANS];
    private int spans;
    private long left;

    void add(long fromNanos, long toNanos) {
        if (spans == MAX_SPANS) {
            left++;
            return;
        }
        if (2 * spans == times.length) {
            times = Arrays.copyOf(times, 2 * times.length);
        }
        times[2 * spans] = fromNanos;
        times[2 * spans + 1] = toNanos;
        spans++;
    }

    /** Those for which there was no room. */
    long left() {
        return left;
    }

    /**
     * All of them, in the order in which they were added.
     *
     * @param startNanos of the load, since the epoch
     */
    List<Span> since(long startNanos) {
        return IntStream.range(0, spans)
                .mapToObj(i -> new Span(startNanos + times[2 * i], startNanos + times[2 * i + 1]))
                .toList();
    }
}
