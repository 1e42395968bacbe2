package dev.quorate.loadtest.wrk;

import java.util.Map;

/**
 * What one run measured.
 *
 * @param requests answers that came
 * @param requestsPerSecond the same over the time it took
 * @param socketErrors connections that failed, broke or kept the load generator waiting for more
 *     than two seconds
 * @param statusErrors answers with a status above 399
 * @param answers by status; empty if the run did not count them
 * @param strangeBodies answers whose body is the value of no key; 0 if the run did not look
 * @param everyKey whether a load in order got as far as the last key
 */
public record WrkResult(
        long requests,
        double requestsPerSecond,
        Percentiles latency,
        long socketErrors,
        long statusErrors,
        Map<Integer, Long> answers,
        long strangeBodies,
        boolean everyKey) {

    /**
     * How long the answers took: so many of a hundred came within so many milliseconds.
     *
     * @param maxMillis all of them did
     */
    public record Percentiles(
            double p50Millis, double p99Millis, double p999Millis, double maxMillis) {}

    public WrkResult {
        answers = Map.copyOf(answers);
    }
}
