package dev.quorate.loadtest.wrk;

import java.util.Map;

/**
 * What one run of wrk measured.
 *
 * @param requests answers that came
 * @param requestsPerSecond the same over the time it took
 * @param p50Millis half of the answers came within this many milliseconds
 * @param p99Millis 99 of a hundred answers did
 * @param socketErrors connections that failed, broke or kept wrk waiting for more than two seconds
 * @param statusErrors answers with a status above 399
 * @param answers by status; empty if the run did not count them
 * @param everyKey whether a load in order got as far as the last key
 */
public record WrkResult(
        long requests,
        double requestsPerSecond,
        double p50Millis,
        double p99Millis,
        long socketErrors,
        long statusErrors,
        Map<Integer, Long> answers,
        boolean everyKey) {

    public WrkResult {
        answers = Map.copyOf(answers);
    }
}
