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
 * @param circumstances such as processors, memory and versions, by name, in printed order
 * @param scenarios in the order of the measurements, with unique names
 * @param missing sentences about missing measurements; empty if the report is complete
 */
public record Report(
        String title,
        Instant begun,
        Map<String, String> circumstances,
        List<ScenarioResult> scenarios,
        List<ProfiledRun> profiles,
        List<String> missing) {

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
     */
    public record ProfiledRun(String scenarioName, String node, ProfileKind kind, Path html) {}
}
