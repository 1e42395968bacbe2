package dev.quorate.loadtest.scenario;

import dev.quorate.harness.CommandException;
import dev.quorate.loadtest.bench.Profiler;
import dev.quorate.loadtest.bench.RunningCluster;
import dev.quorate.loadtest.load.LoadGenerator;
import dev.quorate.loadtest.profile.NodeProfiler;
import dev.quorate.loadtest.profile.ProfileKind;
import dev.quorate.loadtest.report.ProfiledRun;
import dev.quorate.loadtest.report.ScenarioResult;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Consumer;
import org.HdrHistogram.Histogram;

/** Measures the scenarios of a report, one cluster after the other. */
public final class ReportRun {

    /** What a report is made with. */
    public interface Means {

        /** Starts a cluster of that many nodes without data, or takes the one that is there. */
        RunningCluster start(int nodes) throws CommandException;

        /** How the cluster wants to be asked, and with how many keys; puts them there first. */
        LoadTarget fill(RunningCluster cluster, Scenario first) throws CommandException;

        /** What profiles a kind of a cluster's nodes. */
        Profiler profiler(ProfileKind kind) throws CommandException;

        /** Whether the nodes can be profiled. */
        boolean canProfile();

        /** Where profiles are written. */
        Path profiles();
    }

    private final Means means;
    private final LoadGenerator generator;
    private final LoadPace pace;
    private final Limits limits;
    private final ScenarioRunner.RunListener listener;
    private final ReportDraft draft;
    private final Consumer<String> progress;

    /**
     * @param draft takes what was measured
     * @param log takes how each run was over time
     */
    public ReportRun(
            Means means,
            LoadGenerator generator,
            LoadPace pace,
            Limits limits,
            ReportDraft draft,
            RunLog log,
            Consumer<String> progress) {
        this.means = means;
        this.generator = generator;
        this.pace = pace;
        this.limits = limits;
        this.draft = draft;
        this.listener = log::write;
        this.progress = progress;
    }

    /** Takes how a run was over time. */
    @FunctionalInterface
    public interface RunLog {
        void write(String scenarioName, int run, List<Histogram> overTime) throws CommandException;
    }

    /**
     * Measures all.
     *
     * @throws CommandException if a cluster or the load generator does not do its part; what was
     *     measured before is in the draft
     */
    public void measure(List<Scenario> scenarios) throws CommandException {
        List<Integer> sizes = scenarios.stream().map(Scenario::nodes).distinct().toList();
        for (int nodes : sizes) {
            List<Scenario> here = scenarios.stream().filter(each -> each.nodes() == nodes).toList();
            progress.accept(nodes == 1 ? "One node: starting" : nodes + " nodes: starting");
            try (RunningCluster cluster = means.start(nodes)) {
                LoadTarget target = means.fill(cluster, here.getFirst());
                ScenarioRunner runner =
                        new ScenarioRunner(generator, target, pace, limits, listener, progress);
                runner.warmUp(here.getFirst());
                for (Scenario scenario : here) {
                    measure(runner, cluster, scenario);
                }
            }
        }
    }

    private void measure(ScenarioRunner runner, RunningCluster cluster, Scenario scenario)
            throws CommandException {
        ScenarioResult result = runner.run(scenario);
        draft.measured(scenario, result);
        if (scenario.profiled() && result.refusal() == null && means.canProfile()) {
            for (ProfileKind kind : ProfileKind.values()) {
                profile(runner, cluster, scenario, kind, result.askedPerSecond());
            }
        }
    }

    /** In a run of its own, at the same rate: what it costs is in no figure. */
    private void profile(
            ScenarioRunner runner,
            RunningCluster cluster,
            Scenario scenario,
            ProfileKind kind,
            double perSecond)
            throws CommandException {
        String name = scenario.name() + "-" + kind.name();
        try (Profiler.Recording _ = means.profiler(kind).start(name, cluster)) {
            runner.load(scenario, perSecond, pace.profileSeconds());
        }
        List<ProfiledRun> made =
                cluster.nodes().stream()
                        .map(
                                node ->
                                        profile(
                                                scenario,
                                                node.name(),
                                                kind,
                                                NodeProfiler.fileName(name, node)))
                        .toList();
        draft.profiled(made);
    }

    private ProfiledRun profile(Scenario scenario, String node, ProfileKind kind, String file) {
        return new ProfiledRun(
                scenario.name(),
                node,
                kind,
                means.profiles().resolve(file + ".collapsed"),
                means.profiles().resolve(file + ".html"));
    }
}
