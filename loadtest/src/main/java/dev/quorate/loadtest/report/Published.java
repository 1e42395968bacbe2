package dev.quorate.loadtest.report;

/**
 * The figures of another report for the same load.
 *
 * @param source where it is published
 * @param perSecond requests a second that its figures are of
 * @param p99Millis 0 if it is not published
 * @param what its machine and parameters
 */
public record Published(String source, double perSecond, double p99Millis, String what) {

    public Published {
        Checks.notNegative("perSecond", perSecond);
        Checks.notNegative("p99Millis", p99Millis);
    }
}
