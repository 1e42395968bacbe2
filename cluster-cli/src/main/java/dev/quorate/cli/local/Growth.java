package dev.quorate.cli.local;

import java.io.IOException;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Adds nodes to a running local cluster, as {@code ./quorate up --nodes N} does. An {@code up} that
 * runs in the foreground stops them with the others.
 */
record Growth(LocalCluster cluster, NodeAccess access, PrintWriter out) {

    private static final int TIMEOUT_MILLIS = 10_000;

    /**
     * Starts nodes, makes them members, and waits until they have all of their keys.
     *
     * @throws LocalFailure also if the cluster has as many nodes or more, or the change is refused
     */
    void run(LocalCluster.Wanted wanted, int nodes) throws IOException, InterruptedException {
        ClusterPlan plan = cluster.requireAllRun();
        MembersPage page = MembersPage.latest(nodes(plan), Integer.MAX_VALUE, TIMEOUT_MILLIS);
        for (String name : plan.names()) {
            if (!page.parts().containsKey(name) && cluster.isRemoved(plan, name)) {
                cluster.stop(name);
            }
        }
        plan = cluster.requireAllRun();
        if (nodes < plan.size()) {
            throw new LocalFailure(
                    "%d nodes run; ./quorate member remove removes members. Nothing was changed."
                            .formatted(plan.size()));
        }
        ClusterPlan grown = plan.grownTo(nodes).checked();
        if (grown.equals(plan) || !wanted.keeps(plan)) {
            cluster.up(wanted); // refuses, because the cluster runs
            return;
        }
        List<String> added = new ArrayList<>(grown.names());
        added.removeAll(plan.names());
        MembersPage begun =
                page.parts().keySet().containsAll(added) ? page : add(plan, grown, added, page);
        cluster.record(grown);
        Set<String> joining = Set.copyOf(added);
        MembersPage end = begun.end(joining, Set.of(), nodes(plan), TIMEOUT_MILLIS, out);
        if (!end.isAfter(joining, Set.of())) {
            if (end.isJoint()) {
                throw new LocalFailure(
                        "The change continues. Run the same command again to wait for its end.");
            }
            cluster.withdraw(plan, added);
            throw new LocalFailure(
                    "The change was cancelled. These nodes did not join, and are stopped: "
                            + String.join(", ", added));
        }
        cluster.awaitJoined(grown, added);
    }

    private List<Node> nodes(ClusterPlan plan) {
        return plan.names().stream().map(name -> Node.parse(plan.url(name), access)).toList();
    }

    /** Starts nodes and begins the change that makes them members. */
    private MembersPage add(
            ClusterPlan plan, ClusterPlan grown, List<String> added, MembersPage page)
            throws IOException, InterruptedException {
        try {
            cluster.startMore(grown, added);
        } catch (LocalFailure e) {
            cluster.withdraw(plan, added);
            throw e;
        }
        String members =
                added.stream()
                        .map(name -> MembersPage.member(name, grown.url(name)))
                        .collect(Collectors.joining(","));
        Node.Answer answer;
        try {
            answer = page.change("\"add\":[" + members + "]", TIMEOUT_MILLIS);
        } catch (IOException e) {
            answer = new Node.Answer(503, Node.reason(e), 0);
        }
        if (answer.status() == 200) {
            return new MembersPage(page.node(), answer.text());
        }
        String said = MembersPage.said(page.node(), answer);
        if (answer.status() >= 500 && !answer.text().contains("Nothing was ")) {
            throw new LocalFailure(said + " The same command again continues, or says why not.");
        }
        cluster.withdraw(plan, added);
        throw new LocalFailure(said);
    }
}
