package dev.quorate.loadtest;

import dev.quorate.cli.process.CommandException;
import dev.quorate.loadtest.load.Load;
import dev.quorate.loadtest.profile.NodeProfiler;
import dev.quorate.loadtest.profile.ProfileKind;
import dev.quorate.loadtest.profile.ProfilerLibrary;
import dev.quorate.loadtest.report.Scenario;
import dev.quorate.loadtest.scenario.LoadTarget;
import dev.quorate.loadtest.scenario.ReportRun;
import dev.quorate.loadtest.scenario.ReportRun.RunningCluster;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;

/**
 * Clusters on this machine, or one that runs, for a report.
 *
 * @param url of a node that runs; empty if clusters are to be started
 * @param flames where flame graphs are written
 */
record ReportMeans(
        ClusterOptions where,
        ScratchFolder scratch,
        Optional<String> url,
        Load.Api api,
        int keys,
        boolean canProfile,
        Path flames)
        implements ReportRun.Means {

    @Override
    public RunningCluster start(int nodes) throws CommandException {
        return url.isPresent()
                ? new RunningCluster(url.get().replaceFirst("/$", ""), Map.of(), () -> {})
                : scratch.running(nodes, where.port());
    }

    @Override
    public LoadTarget target(RunningCluster cluster) {
        return new LoadTarget(cluster.url(), api, keys);
    }

    @Override
    public String fillReplicas(Scenario scenario) {
        return url.isPresent() ? scenario.replicas() : scenario.nodes() + "/" + scenario.nodes();
    }

    @Override
    public NodeProfiler profiler(ProfileKind kind) throws CommandException {
        try {
            Path library =
                    ProfilerLibrary.extract(scratch.path())
                            .orElseThrow(() -> new IOException("there is none for this system"));
            return new NodeProfiler(kind, flames, library);
        } catch (IOException e) {
            throw new CommandException("The profiler cannot be written: " + e.getMessage(), e);
        }
    }
}
