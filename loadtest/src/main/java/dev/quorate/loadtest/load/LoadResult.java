package dev.quorate.loadtest.load;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.HdrHistogram.Histogram;

/**
 * The result of one run of a load.
 *
 * @param overTime the figures of each second, in order
 * @param socketErrors connections that failed or broke, and answers after more than two seconds
 * @param statusErrors answers with a status above 399
 * @param strangeBodies checked answers with a wrong body
 * @param everyKey whether a load in order reached the last key
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

    /**
     * One second of a run.
     *
     * @param answers answers per second; the interval may differ slightly from a second
     * @param p50Millis a percentile of these answers, as are the others; 0 without answers
     */
    public record Second(long answers, double p50Millis, double p99Millis, double maxMillis) {

        private static final double MILLIS_PER_SECOND = 1_000;

        /** A shorter interval at the end of a run is omitted: it has too few answers. */
        private static final double SHORTEST_SECONDS = 0.5;

        /** The seconds of histograms in microseconds with timestamps. */
        public static List<Second> of(List<Histogram> histograms) {
            List<Second> seconds = new ArrayList<>();
            for (Histogram each : histograms) {
                double length =
                        (each.getEndTimeStamp() - each.getStartTimeStamp()) / MILLIS_PER_SECOND;
                if (length >= SHORTEST_SECONDS) {
                    Spectrum latency = new Spectrum(each);
                    seconds.add(
                            new Second(
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
