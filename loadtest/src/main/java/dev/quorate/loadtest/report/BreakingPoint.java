package dev.quorate.loadtest.report;

import java.util.List;

/**
 * The highest rate that holds, and how it was found.
 *
 * @param perSecond requests a second
 * @param p99LimitMillis the 99th percentile up to which a rate can hold
 * @param steps the rates that were tried, in their order
 */
public record BreakingPoint(double perSecond, double p99LimitMillis, List<Step> steps) {

    public BreakingPoint {
        Checks.notNegative("perSecond", perSecond);
        Checks.notNegative("p99LimitMillis", p99LimitMillis);
        steps = List.copyOf(steps);
    }

    /**
     * One rate that was tried.
     *
     * @param asked requests a second that were to be sent
     * @param achieved answers a second that came
     * @param held whether the rate counts as one that holds
     */
    public record Step(double asked, double achieved, double p99Millis, boolean held) {

        public Step {
            Checks.notNegative("asked", asked);
            Checks.notNegative("achieved", achieved);
            Checks.notNegative("p99Millis", p99Millis);
        }
    }
}
