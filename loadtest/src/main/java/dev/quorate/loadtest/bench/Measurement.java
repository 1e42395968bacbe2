package dev.quorate.loadtest.bench;

import dev.quorate.loadtest.load.LoadResult;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One case, measured several times.
 *
 * @param name of the case
 * @param reference the name of the static answer that it is compared to; its own name if it is that
 * @param rate requests a second that were asked for, or 0 for as many as the answers allowed
 * @param runs by increasing throughput; at a fixed rate, by increasing 99th percentile
 * @param ratioBeside the throughput, as a part of that of static answers measured beside it: the
 *     median of the runs, each with the one before it; 0 if none were
 * @param refusals answers of all runs that refused a request for want of memory; null if none may
 *     do so
 */
public record Measurement(
        String name,
        String reference,
        int rate,
        List<LoadResult> runs,
        double ratioBeside,
        @Nullable Long refusals) {

    /** One of which no request may be refused. */
    public Measurement(
            String name, String reference, int rate, List<LoadResult> runs, double ratioBeside) {
        this(name, reference, rate, runs, ratioBeside, null);
    }

    /** A lower throughput than this, of the rate that was asked for, is another rate. */
    private static final double KEPT_UP = 0.95;

    public Measurement {
        Comparator<LoadResult> order =
                rate == 0
                        ? Comparator.comparingDouble(LoadResult::requestsPerSecond)
                        : Comparator.comparingDouble(result -> result.latency().millis(0.99));
        runs = runs.stream().sorted(order).toList();
    }

    /** The answers of all runs, without the refusals. */
    public long served() {
        long answers = runs.stream().mapToLong(LoadResult::requests).sum();
        return refusals == null ? answers : answers - refusals;
    }

    /** The run in the middle: all its figures belong to the same seconds. */
    public LoadResult median() {
        return runs.get(runs.size() / 2);
    }

    /** Whether it is the static answer to which others are compared. */
    public boolean isReference() {
        return name.equals(reference);
    }

    /** Whether fewer requests were answered than the rate asks for. */
    public boolean fellBehind() {
        return median().requestsPerSecond() < rate * KEPT_UP;
    }
}
