package dev.quorate.cli.local;

import java.io.IOException;
import java.io.PrintWriter;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** The nodes of a local cluster, for a rolling restart. */
final class RestartedNodes implements RollingRestart.Nodes {

    private final LocalCluster cluster;
    private final ClusterPlan plan;
    private final NodeAccess access;
    private final CountDownLatch never = new CountDownLatch(1);

    private RestartedNodes(LocalCluster cluster, ClusterPlan plan, NodeAccess access) {
        this.cluster = cluster;
        this.plan = plan;
        this.access = access;
    }

    /**
     * Restarts all nodes of a cluster, one after the other.
     *
     * @throws LocalFailure if a node does not run, or the cluster has too few for any to be
     *     stopped, or as {@link RollingRestart#run}
     */
    static void restart(LocalCluster cluster, NodeAccess access, PrintWriter out)
            throws IOException, LocalFailure, InterruptedException {
        ClusterPlan plan = cluster.requireAllRun();
        if (plan.nodes() <= 2) {
            throw new LocalFailure(
                    "Requests fail while a node of a cluster of one or two is stopped. Nothing was"
                            + " changed; ./quorate stop and start restart a node.");
        }
        new RollingRestart(new RestartedNodes(cluster, plan, access), out).run(plan.names());
    }

    @Override
    public String whyNotStop(String name) throws LocalFailure {
        return StopQuestion.whyNotStop(access, name, plan.url(name));
    }

    @Override
    public void stop(String name) throws IOException, LocalFailure, InterruptedException {
        cluster.stop(name);
    }

    @Override
    public void start(String name) throws IOException, LocalFailure, InterruptedException {
        cluster.startUntilReady(name);
    }

    @Override
    public void pause() throws InterruptedException {
        var _ = never.await(RollingRestart.POLL_MILLIS, TimeUnit.MILLISECONDS);
    }
}
