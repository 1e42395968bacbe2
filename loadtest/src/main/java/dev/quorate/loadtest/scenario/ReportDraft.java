package dev.quorate.loadtest.scenario;

import dev.quorate.loadtest.report.Report;
import dev.quorate.loadtest.report.Report.ProfiledRun;
import dev.quorate.loadtest.report.Scenario;
import dev.quorate.loadtest.report.ScenarioResult;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;

/**
 * What was measured so far, and what was not. Safe for use by several threads: who interrupts a run
 * reads it from another one.
 */
public final class ReportDraft {

    private final String title;
    private final Instant begun;
    private final Supplier<Map<String, String>> circumstances;
    private final Set<String> toDo = new LinkedHashSet<>();
    private final List<ScenarioResult> results = new ArrayList<>();
    private final List<ProfiledRun> profiles = new ArrayList<>();
    private final List<String> notes = new ArrayList<>();

    /**
     * @param circumstances asked when the report is written
     * @param scenarios all that are to be measured
     * @param notes what is missing from the beginning, a sentence each
     */
    public ReportDraft(
            String title,
            Instant begun,
            Supplier<Map<String, String>> circumstances,
            List<Scenario> scenarios,
            List<String> notes) {
        this.title = title;
        this.begun = begun;
        this.circumstances = circumstances;
        this.notes.addAll(notes);
        scenarios.forEach(scenario -> toDo.add(scenario.title()));
    }

    synchronized void measured(Scenario scenario, ScenarioResult result) {
        toDo.remove(scenario.title());
        results.add(result);
    }

    synchronized void profiled(ProfiledRun made) {
        profiles.add(made);
    }

    /** Adds a sentence about something that is missing. */
    synchronized void missing(String sentence) {
        notes.add(sentence);
    }

    /** The report as it would be now; nothing if nothing was measured. */
    public synchronized Optional<Report> report() {
        if (results.isEmpty()) {
            return Optional.empty();
        }
        List<String> missing = new ArrayList<>(notes);
        toDo.forEach(name -> missing.add(name + ": not measured."));
        return Optional.of(
                new Report(title, begun, circumstances.get(), results, profiles, missing));
    }
}
