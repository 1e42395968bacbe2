package dev.quorate.loadtest.report;

import dev.quorate.loadtest.profile.NodeProfiler.ProfileKind;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * A load report.
 *
 * @param begun when the first load was sent
 * @param circumstances of the figures, by name, in the order in which they are printed: processors,
 *     memory, versions, sizes
 * @param scenarios in the order in which they were measured; no two have the same name
 * @param missing what was to be measured and was not, a sentence each; empty if the report is whole
 */
public record Report(
        String title,
        Instant begun,
        Map<String, String> circumstances,
        List<ScenarioResult> scenarios,
        List<ProfiledRun> profiles,
        List<String> missing) {

    /**
     * Checks and copies.
     *
     * @throws IllegalArgumentException if two scenarios have the same name
     */
    public Report {
        circumstances = Collections.unmodifiableMap(new LinkedHashMap<>(circumstances));
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

    /**
     * A profile of one node under one scenario's load.
     *
     * @param scenarioName {@link ScenarioResult#name}
     * @param node its name
     * @param html the profiler's flame graph
     */
    public record ProfiledRun(String scenarioName, String node, ProfileKind kind, Path html) {}
}
