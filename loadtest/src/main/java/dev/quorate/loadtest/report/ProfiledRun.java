package dev.quorate.loadtest.report;

import dev.quorate.loadtest.profile.ProfileKind;
import java.nio.file.Path;

/**
 * A profile of one node under one scenario's load.
 *
 * @param scenarioName {@link ScenarioResult#name}
 * @param node its name
 * @param html the profiler's flame graph
 */
public record ProfiledRun(String scenarioName, String node, ProfileKind kind, Path html) {

    public ProfiledRun {
        Checks.fileName(scenarioName);
    }
}
