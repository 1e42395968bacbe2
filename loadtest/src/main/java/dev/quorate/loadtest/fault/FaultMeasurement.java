package dev.quorate.loadtest.fault;

import dev.quorate.loadtest.load.LoadResult;
import java.util.List;
import java.util.function.ToDoubleFunction;

/**
 * One fault and one kind of operation.
 *
 * @param name of both
 * @param pairs in their order; at least one
 */
public record FaultMeasurement(String name, List<Pair> pairs) {

    /** A run, and what was seen of the node meanwhile. */
    public record Run(LoadResult result, Peaks peaks) {

        /** Answers that are none of an error, a second: errors are often faster than answers. */
        public double goodPerSecond() {
            double good = result.requests() - result.statusErrors();
            return result.requestsPerSecond() * good / Math.max(1, result.requests());
        }

        public double p99Millis() {
            return result.latency().millis(0.99);
        }

        /** Answers with a status above 399, and connections that failed or waited two seconds. */
        public long errors() {
            return result.statusErrors() + result.socketErrors();
        }
    }

    /**
     * A fault, and what was before and behind it.
     *
     * @param healthy right before; without errors
     * @param failing from a second after the node failed
     * @param back from when it was ready again
     * @param settledMillis from the end of that until nothing was left to be done for it; negative
     *     if something was after all that it was waited for
     */
    public record Pair(Run healthy, Run failing, Run back, long settledMillis) {}

    public FaultMeasurement {
        pairs = List.copyOf(pairs);
    }

    /** In the middle of all pairs; of an even number, between the two that are there. */
    double median(ToDoubleFunction<Pair> figure) {
        double[] sorted = pairs.stream().mapToDouble(figure).sorted().toArray();
        int half = sorted.length / 2;
        return (sorted[half] + sorted[(sorted.length - 1) / 2]) / 2;
    }

    /** The largest of all pairs. */
    double most(ToDoubleFunction<Pair> figure) {
        return pairs.stream().mapToDouble(figure).max().orElse(0);
    }

    /** The smallest of all pairs. */
    double least(ToDoubleFunction<Pair> figure) {
        return pairs.stream().mapToDouble(figure).min().orElse(0);
    }

    /** Throughput with the fault, as a part of that right before. */
    static double throughputRatio(Pair pair) {
        return pair.failing().goodPerSecond() / pair.healthy().goodPerSecond();
    }

    static double p99Ratio(Pair pair) {
        return pair.failing().p99Millis() / pair.healthy().p99Millis();
    }

    /** Throughput after the return, as a part of that before the fault. */
    static double backRatio(Pair pair) {
        return pair.back().goodPerSecond() / pair.healthy().goodPerSecond();
    }

    static double backP99Ratio(Pair pair) {
        return pair.back().p99Millis() / pair.healthy().p99Millis();
    }

    /** Of all runs with the fault, and of those after it. */
    long errors() {
        return pairs.stream()
                .mapToLong(pair -> pair.failing().errors() + pair.back().errors())
                .sum();
    }

    /** With the fault and after it. */
    static Peaks peaks(Pair pair) {
        return pair.failing().peaks().or(pair.back().peaks());
    }

    /** Whether after each fault all was done in the end that was left to do. */
    boolean settled() {
        return pairs.stream().allMatch(pair -> pair.settledMillis() >= 0);
    }
}
