package dev.quorate.loadtest.pressure;

import dev.quorate.loadtest.figures.Latencies;
import java.util.Map;
import java.util.TreeMap;

/**
 * What became of the requests of one stretch of a load. Durations are from the moment at which the
 * bytes were handed to the socket.
 */
public final class Phase {

    private static final int UNAVAILABLE = 503;

    private final Map<Integer, Long> statuses = new TreeMap<>();
    private final Latencies served = new Latencies();
    private final Latencies refused = new Latencies();
    private long withoutRetryAfter;
    private long unsent;
    private long broken;
    private long unanswered;
    private double seconds;

    void answered(int status, boolean hasRetryAfter, long nanos) {
        statuses.merge(status, 1L, Long::sum);
        if (status == UNAVAILABLE) {
            withoutRetryAfter += hasRetryAfter ? 0 : 1;
            refused.add(nanos);
        } else if (status < 500) {
            served.add(nanos);
        }
    }

    /** A request was due, and there was no connection for it. */
    void unsent(long count) {
        unsent += count;
    }

    /** A connection broke over a request. */
    void broken() {
        broken++;
    }

    void end(double lasted, int left) {
        seconds = lasted;
        unanswered = left;
    }

    /** Answers that are no errors of the cluster's, a second. */
    public double goodput() {
        return served.count() / seconds;
    }

    /** Refusals a second. */
    public double refusals() {
        return refused.count() / seconds;
    }

    /** What was sent, a second. */
    public double sent() {
        return (statuses.values().stream().mapToLong(Long::longValue).sum() + broken + unanswered)
                / seconds;
    }

    /** What was due and could not be sent, all connections being busy, a second. */
    public double unsent() {
        return unsent / seconds;
    }

    /** The answers with this status. */
    public long count(int status) {
        return statuses.getOrDefault(status, 0L);
    }

    public Map<Integer, Long> statuses() {
        return statuses;
    }

    /** Refusals without {@code Retry-After}. */
    public long withoutRetryAfter() {
        return withoutRetryAfter;
    }

    /** Connections that broke over a request, and requests that had no answer at the end. */
    public long lost() {
        return broken + unanswered;
    }

    public Latencies served() {
        return served;
    }

    public Latencies refused() {
        return refused;
    }
}
