package dev.quorate.loadtest.scenario;

import dev.quorate.loadtest.profile.NodeProfiler.ProfileKind;
import dev.quorate.loadtest.report.Scenario;
import java.time.Duration;

/**
 * How long each part of a report takes.
 *
 * @param warmUpSeconds of a cluster, before its first scenario: until then a young node's code is
 *     not compiled
 * @param highestSeconds for which requests are sent as fast as they are answered, after as long a
 *     warm-up
 * @param stepSeconds for which a rate is tried
 * @param mostSteps how many rates are tried
 * @param settleSeconds of each load, before it counts
 * @param runSeconds that count, of each run and of the static answer beside it
 * @param runs how many
 * @param profileSeconds for which each kind of profile is made
 * @param freshSeconds of a load from the start of a cluster
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

    /** The report of three nodes is there in a quarter of an hour. */
    public static final LoadPace FULL = new LoadPace(60, 3, 2, 5, 1, 4, 3, 5, 60);

    /** Less certain, and over in three minutes. */
    public static final LoadPace QUICK = new LoadPace(20, 3, 2, 3, 1, 3, 2, 3, 20);

    private static final Duration START = Duration.ofSeconds(15);

    /** Between the loads. */
    private static final int OTHER_SECONDS = 1;

    /** About how long it takes until a cluster is started, filled and warm. */
    public Duration expectedStart() {
        return START.plusSeconds(warmUpSeconds);
    }

    /** About how long a scenario takes, without the start of a cluster. */
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
