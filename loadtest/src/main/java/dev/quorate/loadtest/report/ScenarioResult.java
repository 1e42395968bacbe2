package dev.quorate.loadtest.report;

import dev.quorate.loadtest.load.LoadResult;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What came of one scenario.
 *
 * @param breakingPoint null if it was not looked for
 * @param askedPerSecond requests a second that the runs were to send, or 0 for as many as answers
 *     allow
 * @param runs empty if there are no figures
 * @param staticRuns of the node's static answer, at the same rate
 * @param refusal why there are no figures, as a sentence; null if there are
 */
public record ScenarioResult(
        Scenario scenario,
        @Nullable BreakingPoint breakingPoint,
        double askedPerSecond,
        List<LoadResult> runs,
        List<LoadResult> staticRuns,
        @Nullable String refusal) {

    /**
     * Checks and copies.
     *
     * @throws IllegalArgumentException if there are runs and a refusal, or neither
     */
    public ScenarioResult {
        runs = List.copyOf(runs);
        staticRuns = List.copyOf(staticRuns);
        if (runs.isEmpty() == (refusal == null)) {
            throw new IllegalArgumentException(
                    "scenario '" + scenario.name() + "' has to have either runs or a refusal");
        }
    }

    public String name() {
        return scenario.name();
    }

    public String title() {
        return scenario.title();
    }

    /**
     * The figures of another report for the same load.
     *
     * @param source where it is published
     * @param perSecond requests a second that its figures are of
     * @param p99Millis 0 if it is not published
     * @param what its machine and parameters
     */
    public record Published(String source, double perSecond, double p99Millis, String what) {}

    /**
     * The highest rate that holds, and how it was found.
     *
     * @param perSecond requests a second
     * @param p99LimitMillis the 99th percentile up to which a rate can hold
     * @param steps the rates that were tried, in their order
     */
    public record BreakingPoint(double perSecond, double p99LimitMillis, List<Step> steps) {

        public BreakingPoint {
            steps = List.copyOf(steps);
        }

        /**
         * One rate that was tried.
         *
         * @param asked requests a second that were to be sent
         * @param achieved answers a second that came
         * @param held whether the rate counts as one that holds
         */
        public record Step(double asked, double achieved, double p99Millis, boolean held) {}
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
        public double of(LoadResult run) {
            return switch (this) {
                case ACHIEVED -> run.requestsPerSecond();
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
        public double median(List<LoadResult> runs) {
            double[] values = runs.stream().mapToDouble(this::of).sorted().toArray();
            int middle = values.length / 2;
            return values.length % 2 == 1
                    ? values[middle]
                    : (values[middle - 1] + values[middle]) / 2;
        }
    }
}
