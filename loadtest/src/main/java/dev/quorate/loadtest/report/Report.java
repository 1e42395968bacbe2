package dev.quorate.loadtest.report;

import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * A load report.
 *
 * @param begun when the first load was sent
 * @param scenarios in the order in which they were measured; no two have the same name
 * @param missing what was to be measured and was not, a sentence each; empty if the report is whole
 */
public record Report(
        String title,
        Instant begun,
        Circumstances circumstances,
        List<ScenarioResult> scenarios,
        List<ProfiledRun> profiles,
        List<String> missing) {

    /**
     * Checks and copies.
     *
     * @throws IllegalArgumentException if two scenarios have the same name
     */
    public Report {
        scenarios = List.copyOf(scenarios);
        profiles = List.copyOf(profiles);
        missing = List.copyOf(missing);
        Set<String> names = new HashSet<>();
        for (ScenarioResult scenario : scenarios) {
            if (!names.add(scenario.name())) {
                throw new IllegalArgumentException(
                        "two scenarios are named '" + scenario.name() + "'");
            }
        }
    }
}
