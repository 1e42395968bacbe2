package dev.quorate.loadtest.scenario;

import dev.quorate.loadtest.profile.NodeProfiler.ProfileKind;
import dev.quorate.loadtest.report.Scenario;
import java.time.Duration;

/**
 * The durations of the parts of a report.
 *
 * @param warmUpSeconds load on a cluster before its first scenario, until its code is compiled
 * @param highestSeconds a run without a rate
 * @param stepSeconds a run at a rate that is tried
 * @param mostSteps the maximum number of rates that are tried
 * @param settleSeconds each load before its measurement
 * @param runSeconds each measured run, and each run of the static answer
 * @param runs the number of measured runs
 * @param profileSeconds a run with a profile
 * @param freshSeconds a load from the start of a cluster
 */
public record LoadPace(
        int warmUpSeconds,
        int highestSeconds,
        int stepSeconds,
        int mostSteps,
        int settleSeconds,
        int runSeconds,
        int runs,
        int profileSeconds,
        int freshSeconds) {

    /** A report of three nodes takes a quarter of an hour. */
    public static final LoadPace FULL = new LoadPace(60, 3, 2, 5, 1, 4, 3, 5, 60);

    /** Less precise; a report takes three minutes. */
    public static final LoadPace QUICK = new LoadPace(20, 3, 2, 3, 1, 3, 2, 3, 20);

    private static final Duration START = Duration.ofSeconds(15);

    /** The time between two loads. */
    private static final int OTHER_SECONDS = 1;

    /** The approximate time to start, fill and warm up a cluster. */
    public Duration expectedStart() {
        return START.plusSeconds(warmUpSeconds);
    }

    /** The approximate time of a scenario without the start of a cluster. */
    public Duration expected(Scenario scenario, boolean canProfile) {
        if (scenario.startsFresh()) {
            return START.plusSeconds(freshSeconds);
        }
        int seconds = OTHER_SECONDS + settleSeconds + highestSeconds;
        if (scenario.needsBreakingPoint()) {
            seconds += settleSeconds + highestSeconds + mostSteps * (settleSeconds + stepSeconds);
        }
        seconds += 2 * runs * (settleSeconds + runSeconds);
        if (canProfile && scenario.profiled()) {
            seconds +=
                    ProfileKind.values().length * (OTHER_SECONDS + settleSeconds + profileSeconds);
        }
        return Duration.ofSeconds(seconds);
    }
}
