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

/** The results so far. Thread-safe: a shutdown hook writes the report of an interrupted run. */
public final class ReportDraft {

    private final String title;
    private final Instant begun;
    private final Map<String, String> circumstances;
    private final Set<String> toDo = new LinkedHashSet<>();
    private final List<ScenarioResult> results = new ArrayList<>();
    private final List<ProfiledRun> profiles = new ArrayList<>();
    private final List<String> notes = new ArrayList<>();

    /**
     * @param scenarios all scenarios of the report
     * @param notes sentences about results that will be missing
     */
    public ReportDraft(
            String title,
            Instant begun,
            Map<String, String> circumstances,
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

    synchronized void missing(String sentence) {
        notes.add(sentence);
    }

    /** The report of the results so far; empty if there are none. */
    public synchronized Optional<Report> report() {
        if (results.isEmpty()) {
            return Optional.empty();
        }
        List<String> missing = new ArrayList<>(notes);
        toDo.forEach(name -> missing.add(name + ": not measured."));
        return Optional.of(new Report(title, begun, circumstances, results, profiles, missing));
    }
}
