package dev.quorate.loadtest.report;

import dev.quorate.loadtest.load.LoadResult;
import dev.quorate.loadtest.load.Spectrum;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.HdrHistogram.Histogram;

/**
 * One run of a load.
 *
 * @param achievedPerSecond answers a second
 * @param overTime in their order; empty if the load generator does not report them
 * @param answers by status; empty if the load generator did not count them
 * @param errors connections that broke or could not be opened, and requests without an answer
 */
public record Run(
        double achievedPerSecond,
        Spectrum latency,
        List<Second> overTime,
        Map<Integer, Long> answers,
        long errors) {

    public Run {
        Checks.notNegative("achievedPerSecond", achievedPerSecond);
        Checks.notNegative("errors", (double) errors);
        overTime = List.copyOf(overTime);
        answers = Collections.unmodifiableMap(new TreeMap<>(answers));
    }

    private static final double MILLIS_PER_SECOND = 1_000;

    /** What is shorter, at the end of a run, is no second: too few answers came in it. */
    private static final double SHORTEST_SECONDS = 0.5;

    /** What a load generator measured. */
    public static Run of(LoadResult result) {
        List<Second> seconds = new ArrayList<>();
        for (Histogram histogram : result.overTime()) {
            long begin = result.overTime().getFirst().getStartTimeStamp();
            double at = (histogram.getStartTimeStamp() - begin) / MILLIS_PER_SECOND;
            double length =
                    (histogram.getEndTimeStamp() - histogram.getStartTimeStamp())
                            / MILLIS_PER_SECOND;
            if (length >= SHORTEST_SECONDS) {
                Spectrum latency = Spectrum.of(histogram);
                seconds.add(
                        new Second(
                                at,
                                Math.round(latency.count() / length),
                                latency.millis(0.5),
                                latency.millis(0.99),
                                latency.maxMillis()));
            }
        }
        return new Run(
                result.requestsPerSecond(),
                result.latency(),
                seconds,
                result.answers(),
                result.socketErrors());
    }

    /**
     * One second of a run.
     *
     * @param atSeconds its beginning, from that of the run
     * @param answers that came in it; where it was a little longer or shorter, in one such second
     * @param p50Millis of these answers, as are the others; 0 if none came
     */
    public record Second(
            double atSeconds, long answers, double p50Millis, double p99Millis, double maxMillis) {

        public Second {
            Checks.notNegative("atSeconds", atSeconds);
            Checks.notNegative("answers", (double) answers);
            Checks.notNegative("p50Millis", p50Millis);
            Checks.notNegative("p99Millis", p99Millis);
            Checks.notNegative("maxMillis", maxMillis);
        }
    }

    /** A figure of every run. */
    public enum RunFigure {
        ACHIEVED("Achieved /s"),
        P50("p50 ms"),
        P99("p99 ms"),
        P999("p99.9 ms"),
        MAX("Max ms");

        private final String label;

        RunFigure(String label) {
            this.label = label;
        }

        /** With the unit, for the head of a table. */
        public String label() {
            return label;
        }

        /** The figure of one run. */
        public double of(Run run) {
            return switch (this) {
                case ACHIEVED -> run.achievedPerSecond();
                case P50 -> run.latency().millis(0.5);
                case P99 -> run.latency().millis(0.99);
                case P999 -> run.latency().millis(0.999);
                case MAX -> run.latency().maxMillis();
            };
        }

        /**
         * The median of several runs.
         *
         * @param runs at least one
         */
        public double median(List<Run> runs) {
            double[] values = runs.stream().mapToDouble(this::of).sorted().toArray();
            int middle = values.length / 2;
            return values.length % 2 == 1
                    ? values[middle]
                    : (values[middle - 1] + values[middle]) / 2;
        }
    }
}
