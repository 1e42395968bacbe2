package dev.quorate.loadtest.load;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.HdrHistogram.Histogram;

/**
 * What one run measured.
 *
 * @param requests answers that came
 * @param requestsPerSecond the same over the time it took
 * @param latency of these answers
 * @param overTime the same for each second by itself, in their order
 * @param socketErrors connections that failed, broke or made the load generator wait for more than
 *     two seconds
 * @param statusErrors answers with a status above 399
 * @param answers by status
 * @param strangeBodies answers with a wrong body, of those that the run checked
 * @param everyKey whether a load in order got as far as the last key
 */
public record LoadResult(
        long requests,
        double requestsPerSecond,
        Spectrum latency,
        List<Second> overTime,
        long socketErrors,
        long statusErrors,
        Map<Integer, Long> answers,
        long strangeBodies,
        boolean everyKey) {

    public LoadResult {
        overTime = List.copyOf(overTime);
        answers = Collections.unmodifiableMap(new TreeMap<>(answers));
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

        private static final double MILLIS_PER_SECOND = 1_000;

        /** A shorter rest at the end of a run does not count: too few answers came in it. */
        private static final double SHORTEST_SECONDS = 0.5;

        /** The seconds of histograms of microseconds, which say when they began and ended. */
        public static List<Second> of(List<Histogram> histograms) {
            List<Second> seconds = new ArrayList<>();
            for (Histogram each : histograms) {
                long begin = each.getStartTimeStamp();
                double length = (each.getEndTimeStamp() - begin) / MILLIS_PER_SECOND;
                if (length >= SHORTEST_SECONDS) {
                    Spectrum latency = Spectrum.of(each);
                    seconds.add(
                            new Second(
                                    (begin - histograms.getFirst().getStartTimeStamp())
                                            / MILLIS_PER_SECOND,
                                    Math.round(latency.count() / length),
                                    latency.millis(0.5),
                                    latency.millis(0.99),
                                    latency.maxMillis()));
                }
            }
            return seconds;
        }
    }
}
