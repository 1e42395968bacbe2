package dev.quorate.loadtest.load;

import java.util.List;
import java.util.Map;
import org.HdrHistogram.Histogram;

/**
 * What one run measured.
 *
 * @param requests answers that came
 * @param requestsPerSecond the same over the time it took
 * @param latency of these answers
 * @param overTime the same in microseconds, for each second by itself, with the times at which it
 *     began and ended; empty if the load generator does not report them
 * @param socketErrors connections that failed, broke or made the load generator wait for more than
 *     two seconds
 * @param statusErrors answers with a status above 399
 * @param answers by status; empty if the run did not count them
 * @param strangeBodies answers with a wrong body, of those that the run checked
 * @param everyKey whether a load in order got as far as the last key
 */
public record LoadResult(
        long requests,
        double requestsPerSecond,
        Spectrum latency,
        List<Histogram> overTime,
        long socketErrors,
        long statusErrors,
        Map<Integer, Long> answers,
        long strangeBodies,
        boolean everyKey) {

    public LoadResult {
        overTime = List.copyOf(overTime);
        answers = Map.copyOf(answers);
    }
}
