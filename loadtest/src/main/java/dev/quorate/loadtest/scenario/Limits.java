package dev.quorate.loadtest.scenario;

/**
 * What is taken for too much, and what for enough.
 *
 * @param p99Millis the 99th percentile up to which a rate holds
 * @param share of the breaking point at which scenarios run, more than 0 and at most 1
 */
public record Limits(double p99Millis, double share) {

    /** A rate that is achieved to this share of it holds. */
    private static final double ACHIEVED = 0.99;

    /** Whether a rate holds with this result, given that all answers were correct. */
    boolean hold(double asked, double achieved, double p99) {
        return achieved >= asked * ACHIEVED && p99 <= p99Millis;
    }
}
