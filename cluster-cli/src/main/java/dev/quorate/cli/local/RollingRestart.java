package dev.quorate.cli.local;

import java.io.IOException;
import java.io.PrintWriter;
import java.util.List;

/** Restarts nodes one after the other, each when the previous one is back. Prints each step. */
public record RollingRestart(Nodes nodes, PrintWriter out) {

    /** Maximum number of polls of a wait. */
    static final int MAX_POLLS = 240;

    static final long POLL_MILLIS = 250;

    private static final String MAY_STOP = "";

    /** The nodes, and the time between two polls. */
    public interface Nodes {

        /** See {@link RollingRestart#whyNotStop}. */
        String whyNotStop(String name) throws LocalFailure;

        void stop(String name) throws IOException, InterruptedException;

        /**
         * Starts a node and waits until it is ready.
         *
         * @throws LocalFailure if it does not become ready
         */
        void start(String name) throws IOException, InterruptedException;

        /** Maximum time of a wait. */
        default long waitMillis() {
            return MAX_POLLS * POLL_MILLIS;
        }

        /** Waits for {@link #POLL_MILLIS}. */
        default void pause() throws InterruptedException {
            NodeProcesses.pause(POLL_MILLIS);
        }
    }

    /**
     * Restarts all nodes of a cluster, one after the other.
     *
     * @throws LocalFailure if a node does not run, the cluster has fewer than three nodes, or as
     *     {@link #run}
     */
    static void restart(LocalCluster cluster, NodeAccess access, PrintWriter out)
            throws IOException, InterruptedException {
        ClusterPlan plan = cluster.requireAllRun();
        if (plan.size() <= 2) {
            throw new LocalFailure(
                    "Requests fail while a node of a cluster of one or two is stopped. Nothing was"
                            + " changed; ./quorate stop and start restart a node.");
        }
        new RollingRestart(new LocalClusterNodes(cluster, plan, access), out).run(plan.names());
    }

    /**
     * Restarts these nodes, one after the other.
     *
     * @throws LocalFailure if a node does not return, or cannot be stopped without failed requests;
     *     the remaining nodes are not stopped
     */
    public void run(List<String> names) throws IOException, InterruptedException {
        for (int i = 0; i < names.size(); i++) {
            try {
                restart(names.get(i), names);
            } catch (LocalFailure e) {
                throw new LocalFailure(e.getMessage() + System.lineSeparator() + state(names, i));
            }
        }
        print("All " + names.size() + " nodes were restarted.");
    }

    private void restart(String name, List<String> names) throws IOException, InterruptedException {
        awaitMayStop(name, name + " cannot be stopped yet: ");
        nodes.stop(name);
        nodes.start(name);
        for (String other : names) {
            if (!other.equals(name)) {
                awaitMayStop(other, other + " waits until " + name + " is back: ");
            }
        }
        print(name + " was restarted, and the others see that it is up.");
    }

    /** Waits until a node may stop. Prints the reason whenever it changes. */
    private void awaitMayStop(String name, String waiting)
            throws LocalFailure, InterruptedException {
        String printed = MAY_STOP;
        for (int polls = 0; polls < nodes.waitMillis() / POLL_MILLIS; polls++) {
            String why = nodes.whyNotStop(name);
            if (why.equals(MAY_STOP)) {
                return;
            }
            if (!why.equals(printed)) {
                print(waiting + why);
                printed = why;
            }
            nodes.pause();
        }
        throw new LocalFailure(
                "After %d seconds requests would still fail without %s: %s"
                        .formatted(nodes.waitMillis() / 1_000, name, printed));
    }

    private static String state(List<String> names, int failed) {
        List<String> done = names.subList(0, failed);
        List<String> left = names.subList(failed + 1, names.size());
        return (done.isEmpty() ? "" : "Restarted before: " + String.join(", ", done) + ". ")
                + (left.isEmpty()
                        ? "No further node was to be restarted."
                        : "Not restarted: " + String.join(", ", left) + ".");
    }

    private void print(String line) {
        out.println(line);
        out.flush();
    }

    /**
     * A sentence about why a node must not stop now; empty if it may stop. An unreachable node must
     * not stop.
     *
     * @throws LocalFailure if the node does not answer this: it needs a token, or has no such page
     */
    public static String whyNotStop(NodeAccess access, String name, String url)
            throws LocalFailure {
        Node.Answer answer;
        try {
            answer = Node.parse(url, access).text("GET", "/admin/can-stop", 10_000);
        } catch (LocalFailure e) {
            return String.valueOf(e.getMessage());
        }
        String said = answer.detail().orElse(answer.statusLine());
        return switch (answer.status()) {
            case 200 -> "";
            case 503 -> said;
            default ->
                    throw new LocalFailure(
                            name + " does not say whether it may stop. It answers: " + said);
        };
    }

    private record LocalClusterNodes(LocalCluster cluster, ClusterPlan plan, NodeAccess access)
            implements Nodes {

        @Override
        public String whyNotStop(String name) throws LocalFailure {
            return RollingRestart.whyNotStop(access, name, plan.url(name));
        }

        @Override
        public void stop(String name) throws IOException, InterruptedException {
            cluster.stop(name);
        }

        @Override
        public void start(String name) throws IOException, InterruptedException {
            cluster.startUntilReady(name);
        }
    }
}
