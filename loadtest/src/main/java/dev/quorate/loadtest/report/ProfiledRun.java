package dev.quorate.loadtest.report;

import dev.quorate.loadtest.profile.ProfileKind;
import dev.quorate.loadtest.report.flame.Part;
import java.nio.file.Path;
import java.util.Collections;
import java.util.EnumMap;
import java.util.Map;

/**
 * A profile of one node under one scenario's load.
 *
 * @param scenarioName {@link ScenarioResult#name}
 * @param node its name
 * @param collapsed the file of stacks, a line each; in a folder that was written, relative to it
 * @param html the profiler's own flame graph, likewise
 * @param parts samples, bytes or nanoseconds in each part of the system; empty until the stacks
 *     have been read
 */
public record ProfiledRun(
        String scenarioName,
        String node,
        ProfileKind kind,
        Path collapsed,
        Path html,
        Map<Part, Long> parts) {

    public ProfiledRun {
        Checks.fileName(scenarioName);
        Map<Part, Long> copy = new EnumMap<>(Part.class);
        copy.putAll(parts);
        parts = Collections.unmodifiableMap(copy);
    }

    /** A profile whose stacks have not been read. */
    public ProfiledRun(
            String scenarioName, String node, ProfileKind kind, Path collapsed, Path html) {
        this(scenarioName, node, kind, collapsed, html, Map.of());
    }
}
