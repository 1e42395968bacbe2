package dev.quorate.loadtest.scenario;

import dev.quorate.cli.process.CommandException;
import dev.quorate.loadtest.load.Load;
import dev.quorate.loadtest.load.Load.Operation;
import dev.quorate.loadtest.load.LoadGenerator;
import dev.quorate.loadtest.load.LoadResult;
import dev.quorate.loadtest.load.RefusedFigureException;
import dev.quorate.loadtest.load.RunCheck;
import dev.quorate.loadtest.profile.NodeProfiler;
import dev.quorate.loadtest.profile.NodeProfiler.ProfileKind;
import dev.quorate.loadtest.report.Report.ProfiledRun;
import dev.quorate.loadtest.report.Scenario;
import dev.quorate.loadtest.report.ScenarioResult;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;

/**
 * Measures the scenarios of a report, one cluster after the other.
 *
 * @param draft receives the results
 */
public record ReportRun(
        Means means,
        LoadGenerator generator,
        LoadPace pace,
        Limits limits,
        ReportDraft draft,
        Consumer<String> progress) {

    /** The clusters and profilers of a report. */
    public interface Means {

        /** Starts a cluster with a number of nodes and no data, or returns the running one. */
        RunningCluster start(int nodes) throws CommandException;

        LoadTarget target(RunningCluster cluster);

        /** The {@code ack/from} for storing the keys of a scenario. */
        String fillReplicas(Scenario scenario);

        NodeProfiler profiler(ProfileKind kind) throws CommandException;

        boolean canProfile();
    }

    private static final int GENERATOR_WARM_UP_SECONDS = 8;
    private static final int MAX_FILL_SECONDS = 256;

    /** Maximum number of attempts in which nodes refuse writes. */
    private static final int MAX_OVERRUNS = 3;

    private static final int MAX_CONNECTIONS = 64;
    private static final int MIN_CONNECTIONS = 2;
    private static final int BYTES_UNDER_WAY = 1 << 20;

    /**
     * Measures the scenarios.
     *
     * @throws CommandException if a cluster or the load generator fails; the draft contains the
     *     results so far
     */
    public void measure(List<Scenario> scenarios) throws CommandException {
        List<Scenario> shared =
                scenarios.stream().filter(scenario -> !scenario.startsFresh()).toList();
        for (int nodes : shared.stream().map(Scenario::nodes).distinct().toList()) {
            measureShared(nodes, shared.stream().filter(each -> each.nodes() == nodes).toList());
        }
        List<Scenario> fresh = scenarios.stream().filter(Scenario::startsFresh).toList();
        if (shared.isEmpty() && !fresh.isEmpty()) {
            // Otherwise the generator would affect the first seconds of a new cluster.
            try (RunningCluster cluster = start(fresh.getFirst().nodes())) {
                runner(means.target(cluster)).load(fresh.getFirst(), 0, GENERATOR_WARM_UP_SECONDS);
            }
        }
        for (Scenario scenario : fresh) {
            try (RunningCluster cluster = start(scenario.nodes())) {
                draft.measured(scenario, runner(means.target(cluster)).run(scenario));
            }
        }
    }

    private RunningCluster start(int nodes) throws CommandException {
        progress.accept(nodes == 1 ? "One node: starting" : nodes + " nodes: starting");
        return means.start(nodes);
    }

    private ScenarioRunner runner(LoadTarget target) {
        return new ScenarioRunner(generator, target, pace, limits, progress);
    }

    private void measureShared(int nodes, List<Scenario> scenarios) throws CommandException {
        try (RunningCluster cluster = start(nodes)) {
            LoadTarget target = means.target(cluster);
            ScenarioRunner runner = runner(target);
            Set<Integer> filled = new HashSet<>();
            boolean isWarm = false;
            for (Scenario scenario : scenarios) {
                if (filled.add(scenario.valueBytes())) {
                    fill(target, scenario);
                }
                if (!isWarm) {
                    runner.warmUp(scenario);
                    isWarm = true;
                }
                if (scenario.operation() == Load.Operation.DELETE) {
                    filled.remove(scenario.valueBytes());
                }
                measure(runner, cluster, scenario);
            }
        }
    }

    /** Stores all keys with the values of a scenario, and reads them back. */
    private void fill(LoadTarget target, Scenario scenario) throws CommandException {
        int valueBytes = scenario.valueBytes();
        int keys = target.keys(valueBytes);
        // Do not overload a cluster that has just started.
        int connections =
                Math.clamp(
                        BYTES_UNDER_WAY / Math.max(1, valueBytes),
                        MIN_CONNECTIONS,
                        MAX_CONNECTIONS);
        for (Operation operation : List.of(Operation.PUT, Operation.GET)) {
            Load load =
                    Load.unbounded(
                            target.url(),
                            new Load.Requests(
                                    operation,
                                    means.fillReplicas(scenario),
                                    target.api(),
                                    keys,
                                    valueBytes,
                                    0),
                            Load.Clients.of(connections),
                            Load.Manner.EVERY_KEY,
                            MAX_FILL_SECONDS);
            LoadResult result = generator.run(load);
            for (int i = 0; i < MAX_OVERRUNS && isOverrun(result); i++) {
                progress.accept(
                        "too busy to take all keys at once (%s); once more"
                                .formatted(RunCheck.describe(result.answers())));
                result = generator.run(load);
            }
            try {
                RunCheck.requireRight(load, result, Set.of());
            } catch (RefusedFigureException e) {
                throw new CommandException(operation + " of all keys: " + e.getMessage(), e);
            }
            if (!result.everyKey()) {
                throw new CommandException(
                        "%s of all keys: not all of %d were answered within %d seconds."
                                .formatted(operation, keys, MAX_FILL_SECONDS));
            }
        }
        progress.accept(
                "%d keys with values of %d bytes put and read back".formatted(keys, valueBytes));
    }

    /**
     * Whether the only errors are refused or unconfirmed writes, which may happen while nodes
     * start. The same values are then stored again.
     */
    private static boolean isOverrun(LoadResult result) {
        Set<Integer> statuses = result.answers().keySet();
        return result.socketErrors() == 0
                && statuses.stream().anyMatch(status -> status >= 503)
                && Set.of(201, 503, 504).containsAll(statuses);
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

    /** Profiles a separate run at the same rate, so that the figures exclude the cost. */
    private void profile(
            ScenarioRunner runner,
            RunningCluster cluster,
            Scenario scenario,
            ProfileKind kind,
            double perSecond) {
        try {
            NodeProfiler.Recording recording =
                    means.profiler(kind).start(scenario.name(), cluster.processes());
            try (recording) {
                runner.load(scenario, perSecond, pace.profileSeconds());
            }
            recording
                    .files()
                    .forEach(
                            (node, file) ->
                                    draft.profiled(
                                            new ProfiledRun(scenario.name(), node, kind, file)));
        } catch (CommandException e) {
            draft.missing(
                    "%s: no profile (%s): %s".formatted(scenario.title(), kind, e.getMessage()));
        }
    }

    /**
     * A cluster under load.
     *
     * @param url {@code http://host:port} of the node that receives all requests
     * @param processes the process ids of the nodes by name
     * @param end runs at the end
     */
    public record RunningCluster(String url, Map<String, Long> processes, Runnable end)
            implements AutoCloseable {

        @Override
        public void close() {
            end.run();
        }
    }
}
