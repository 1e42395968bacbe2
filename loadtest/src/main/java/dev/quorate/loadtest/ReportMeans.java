package dev.quorate.loadtest;

import dev.quorate.harness.CommandException;
import dev.quorate.harness.NodeClient;
import dev.quorate.loadtest.bench.BenchPlan;
import dev.quorate.loadtest.bench.NodeProcess;
import dev.quorate.loadtest.bench.Probe;
import dev.quorate.loadtest.bench.Profiler;
import dev.quorate.loadtest.bench.RefusedFigureException;
import dev.quorate.loadtest.bench.RunningCluster;
import dev.quorate.loadtest.bench.StoredKeys;
import dev.quorate.loadtest.load.Load;
import dev.quorate.loadtest.load.LoadGenerator;
import dev.quorate.loadtest.profile.NodeProfiler;
import dev.quorate.loadtest.profile.ProfileKind;
import dev.quorate.loadtest.profile.ProfilerLibrary;
import dev.quorate.loadtest.scenario.LoadTarget;
import dev.quorate.loadtest.scenario.ReportRun;
import dev.quorate.loadtest.scenario.Scenario;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * Clusters on this machine, or one that runs, for a report.
 *
 * @param url of a node that runs; empty if clusters are to be started
 * @param filler puts the keys there
 */
record ReportMeans(
        ClusterOptions where,
        ScratchFolder scratch,
        Optional<String> url,
        Load.Api api,
        int keys,
        boolean canProfile,
        LoadGenerator filler,
        Consumer<String> progress)
        implements ReportRun.Means {

    /** A running cluster, which is left running. */
    private record RunningElsewhere(String url) implements RunningCluster {

        @Override
        public List<NodeProcess> nodes() {
            return List.of();
        }

        @Override
        public void close() {}
    }

    @Override
    public RunningCluster start(int nodes) throws CommandException {
        return url.isPresent()
                ? new RunningElsewhere(url.get().replaceFirst("/$", ""))
                : scratch.running(nodes, where.port());
    }

    @Override
    public LoadTarget fill(RunningCluster cluster, Scenario first) throws CommandException {
        LoadTarget target = new LoadTarget(cluster.url(), api, keys);
        String replicas = url.isPresent() ? first.replicas() : first.nodes() + "/" + first.nodes();
        BenchPlan plan = new BenchPlan(List.of(), BenchPlan.QUICK, keys);
        try (NodeClient client = new NodeClient()) {
            new StoredKeys(plan, replicas, api, target.url(), filler, Probe.of(client), progress)
                    .fill(first.valueBytes());
        } catch (RefusedFigureException e) {
            throw new CommandException("the keys could not be put: " + e.sentence(), e);
        }
        return target;
    }

    @Override
    public Profiler profiler(ProfileKind kind) throws CommandException {
        try {
            Optional<Path> library = ProfilerLibrary.extract(scratch.path());
            return new NodeProfiler(kind, profiles(), library, scratch.path(), progress);
        } catch (IOException e) {
            throw new CommandException("the profiler cannot be written: " + e, e);
        }
    }

    @Override
    public Path profiles() {
        return scratch.path();
    }
}
