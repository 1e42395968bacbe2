package dev.quorate.loadtest.report;

import com.google.common.math.Quantiles;
import dev.quorate.loadtest.load.LoadResult;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The result of one scenario.
 *
 * @param breakingPoint null if it was not searched
 * @param askedPerSecond the rate of the runs in requests a second; 0 without a rate
 * @param runs empty if there are no figures
 * @param staticRuns runs of the static answer of the node at the same rate
 * @param refusal a sentence about why there are no figures; null if there are figures
 */
public record ScenarioResult(
        Scenario scenario,
        @Nullable BreakingPoint breakingPoint,
        double askedPerSecond,
        List<LoadResult> runs,
        List<LoadResult> staticRuns,
        @Nullable String refusal) {

    public ScenarioResult {
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
     * The highest sustainable rate, and the steps of its search.
     *
     * @param perSecond requests a second
     * @param p99LimitMillis the maximum 99th percentile of a sustainable rate
     * @param steps the rates that were tried, in order
     */
    public record BreakingPoint(double perSecond, double p99LimitMillis, List<Step> steps) {

        /**
         * A rate that was tried.
         *
         * @param asked the rate that was tried, in requests a second
         * @param achieved answers a second
         * @param held whether the rate is sustainable
         */
        public record Step(double asked, double achieved, double p99Millis, boolean held) {}
    }

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

        /** The name with the unit, for the heading of a table. */
        public String label() {
            return label;
        }

        public double of(LoadResult run) {
            return switch (this) {
                case ACHIEVED -> run.requestsPerSecond();
                case P50 -> run.latency().millis(0.5);
                case P99 -> run.latency().millis(0.99);
                case P999 -> run.latency().millis(0.999);
                case MAX -> run.latency().maxMillis();
            };
        }

        /** The median of at least one run. */
        public double median(List<LoadResult> runs) {
            return Quantiles.median().compute(runs.stream().mapToDouble(this::of).toArray());
        }
    }
}
