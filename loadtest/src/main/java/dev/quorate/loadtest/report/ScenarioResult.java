package dev.quorate.loadtest.report;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What came of one scenario.
 *
 * @param name the part of file names that is its own: lower-case letters, digits and hyphens
 * @param title what readers call it
 * @param operation what a request does
 * @param replicas {@code ack/from}
 * @param connections over which requests are sent
 * @param valueBytes the size of a value, and of the static answer
 * @param breakingPoint null if it was not looked for
 * @param askedPerSecond requests a second that the runs were to send, or 0 for as many as answers
 *     allow
 * @param runs empty if there are no figures
 * @param staticRuns of the node's static answer, at the same rate
 * @param refusal why there are no figures, as a sentence; null if there are
 * @param published the figures of another report for the same load, or null
 */
public record ScenarioResult(
        String name,
        String title,
        String operation,
        String replicas,
        int nodes,
        int threads,
        int connections,
        int valueBytes,
        @Nullable BreakingPoint breakingPoint,
        double askedPerSecond,
        List<Run> runs,
        List<Run> staticRuns,
        @Nullable String refusal,
        @Nullable Published published) {

    /**
     * Checks and copies.
     *
     * @throws IllegalArgumentException if the name is none, a count is not positive, or there are
     *     runs and a refusal, or neither
     */
    public ScenarioResult {
        Checks.fileName(name);
        Checks.positive("nodes", nodes);
        Checks.positive("threads", threads);
        Checks.positive("connections", connections);
        Checks.notNegative("valueBytes", valueBytes);
        Checks.notNegative("askedPerSecond", askedPerSecond);
        runs = List.copyOf(runs);
        staticRuns = List.copyOf(staticRuns);
        if (runs.isEmpty() == (refusal == null)) {
            throw new IllegalArgumentException(
                    "scenario '" + name + "' has to have either runs or a refusal");
        }
    }
}
