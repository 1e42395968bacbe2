package dev.quorate.cli.local;

import dev.quorate.node.runtime.Ticker;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The nodes of a cluster on this machine. */
public final class RunningNodes {

    private RunningNodes() {}

    /** The URLs of those that run of the cluster in a folder; none if there is no cluster. */
    public static List<String> in(Path data, Ticker ticker) throws IOException {
        ClusterDirectory directory = new ClusterDirectory(data);
        NodeProcesses processes = new NodeProcesses(directory, List.of(), ticker);
        List<String> urls = new ArrayList<>();
        try {
            Optional<ClusterPlan> plan = directory.plan();
            if (plan.isPresent()) {
                for (String name : plan.get().names()) {
                    if (processes.running(name).isPresent()) {
                        urls.add(plan.get().url(name));
                    }
                }
            }
        } catch (LocalFailure e) {
            throw new IOException(e.getMessage(), e);
        }
        return urls;
    }
}
