package dev.quorate.loadtest.fault;

import dev.quorate.loadtest.fault.FaultMeasurement.Pair;
import dev.quorate.loadtest.fault.FaultMeasurement.Run;
import dev.quorate.loadtest.load.LoadResult;
import dev.quorate.loadtest.load.Results;
import dev.quorate.loadtest.load.Spectrum;

/** Results that somebody might have measured. */
final class Runs {

    private Runs() {}

    /** So many requests a second, for ten seconds, with that 99th percentile. */
    static LoadResult result(int perSecond, double p99Millis, int statusErrors, int socketErrors) {
        long requests = 10L * perSecond;
        Spectrum latency =
                Results.spectrum(requests, p99Millis / 2, p99Millis, p99Millis, p99Millis);
        return Results.withErrors(
                Results.result(requests, perSecond, latency), socketErrors, statusErrors);
    }

    static Run run(int perSecond, double p99Millis, Peaks peaks) {
        return new Run(result(perSecond, p99Millis, 0, 0), peaks);
    }

    /** Without errors. */
    static Pair pair(int healthy, int failing, int back, double failingP99, long settledMillis) {
        return new Pair(
                run(healthy, 10, Peaks.NONE),
                run(failing, failingP99, new Peaks(200 << 20, 4_096, 1 << 19, failing)),
                run(back, 12, new Peaks(100 << 20, 10, 1 << 20, 3 << 20)),
                settledMillis);
    }
}
