package dev.quorate.loadtest.scenario;

/**
 * The limits of a report.
 *
 * @param p99Millis the maximum 99th percentile of a sustainable rate
 * @param share the share of the breaking point at which scenarios run, more than 0, at most 1
 */
public record Limits(double p99Millis, double share) {

    /** The minimum achieved share of a sustainable rate. */
    private static final double ACHIEVED = 0.99;

    /** Whether a rate is sustainable with this result, if all answers were correct. */
    boolean hold(double asked, double achieved, double p99) {
        return achieved >= asked * ACHIEVED && p99 <= p99Millis;
    }
}
