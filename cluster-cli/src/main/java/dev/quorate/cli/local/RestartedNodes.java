package dev.quorate.cli.local;

import java.io.IOException;
import java.io.PrintWriter;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The nodes of a local cluster, for a rolling restart. */
final class RestartedNodes implements RollingRestart.Nodes {

    /** Of the problem that a node answers with. */
    private static final Pattern DETAIL = Pattern.compile("\"detail\":\"([^\"\\\\]*)\"");

    private final LocalCluster cluster;
    private final ClusterPlan plan;
    private final NodeAccess access;

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
            throws IOException, InterruptedException {
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
        return whyNotStop(access, name, plan.url(name));
    }

    /**
     * Why a node must not stop now, in a sentence; empty if it may. A node that cannot be reached
     * is such a reason.
     *
     * @throws LocalFailure if it does not say: it needs a token, or does not know the question
     */
    static String whyNotStop(NodeAccess access, String name, String url) throws LocalFailure {
        Node.Answer answer;
        try {
            answer = Node.ask(access, "GET", url, "/admin/can-stop");
        } catch (LocalFailure e) {
            return String.valueOf(e.getMessage());
        }
        Matcher detail = DETAIL.matcher(answer.text());
        String said = detail.find() ? detail.group(1) : answer.statusLine();
        return switch (answer.status()) {
            case 200 -> "";
            case 503 -> said;
            default ->
                    throw new LocalFailure(
                            name + " does not say whether it may stop. It answers: " + said);
        };
    }

    @Override
    public void stop(String name) throws IOException, InterruptedException {
        cluster.stop(name);
    }

    @Override
    public void start(String name) throws IOException, InterruptedException {
        cluster.startUntilReady(name);
    }

    @Override
    public void pause() throws InterruptedException {
        NodeProcesses.pause(RollingRestart.POLL_MILLIS);
    }
}
