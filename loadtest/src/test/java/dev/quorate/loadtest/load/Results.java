package dev.quorate.loadtest.load;

import java.util.List;
import java.util.Map;

/** Results that somebody might have measured. */
public final class Results {

    private Results() {}

    /** The 50th, 99th and 99.9th percentile and the maximum of so many answers, in milliseconds. */
    public static Spectrum spectrum(long count, double p50, double p99, double p999, double max) {
        return new Spectrum(List.of(), p50, 0, 0, count)
                .with(0.5, p50)
                .with(0.99, p99)
                .with(0.999, p999)
                .with(1, max);
    }

    /** Without errors, and with nothing but what every load generator tells. */
    public static LoadResult result(long requests, double perSecond, Spectrum latency) {
        return new LoadResult(requests, perSecond, latency, List.of(), 0, 0, Map.of(), 0, false);
    }

    /** The same with errors. */
    public static LoadResult withErrors(LoadResult result, long socketErrors, long statusErrors) {
        return new LoadResult(
                result.requests(),
                result.requestsPerSecond(),
                result.latency(),
                result.overTime(),
                socketErrors,
                statusErrors,
                result.answers(),
                result.strangeBodies(),
                result.everyKey());
    }

    /** The same with other answers. */
    public static LoadResult withAnswers(
            LoadResult result, Map<Integer, Long> answers, long strangeBodies, boolean everyKey) {
        return new LoadResult(
                result.requests(),
                result.requestsPerSecond(),
                result.latency(),
                result.overTime(),
                result.socketErrors(),
                result.statusErrors(),
                answers,
                strangeBodies,
                everyKey);
    }
}
