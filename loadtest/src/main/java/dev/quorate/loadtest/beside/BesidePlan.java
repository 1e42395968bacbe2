package dev.quorate.loadtest.beside;

import dev.quorate.loadtest.bench.StandardPlan;
import dev.quorate.loadtest.load.Load;
import dev.quorate.loadtest.load.Load.Operation;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

/**
 * Loads for two stores.
 *
 * @param cases those of one cluster of ours follow each other
 * @param rate requests a second, or 0 for as many as the answers allow
 */
public record BesidePlan(
        List<Case> cases, Load.Clients clients, int rate, int keys, int valueBytes, Pace pace) {

    /** Of a cluster, and to put the keys into both stores. */
    private static final int START_SECONDS = 30;

    public BesidePlan {
        cases = List.copyOf(cases);
    }

    /**
     * How long and how often.
     *
     * @param warmUpSeconds of each case and store, as fast as it is answered
     * @param seconds of each turn
     * @param turns of each store
     */
    public record Pace(int warmUpSeconds, int seconds, int turns) {}

    /**
     * One load.
     *
     * @param nodes of our cluster
     */
    public record Case(String name, int nodes, Operation operation, String replicas) {}

    /** All cases of clusters with so many nodes. */
    public static List<Case> cases(List<Integer> clusters) {
        List<Case> cases = new ArrayList<>();
        for (int nodes : clusters.stream().distinct().toList()) {
            String quorum = nodes == 1 ? "1/1" : nodes == 2 ? "2/2" : "2/3";
            for (Operation operation : List.of(Operation.GET, Operation.PUT)) {
                String name =
                        StandardPlan.clusterName(nodes)
                                + ", "
                                + StandardPlan.label(operation)
                                + (nodes == 1 ? "" : " " + quorum);
                cases.add(new Case(name, nodes, operation, quorum));
            }
        }
        return cases;
    }

    /** The same with the cases that are wanted. */
    public BesidePlan only(Predicate<Case> wanted) {
        return new BesidePlan(
                cases.stream().filter(wanted).toList(), clients, rate, keys, valueBytes, pace);
    }

    /** How long it takes where every cluster starts and is filled without delay. */
    public Duration expected() {
        long clusters = cases.stream().map(Case::nodes).distinct().count();
        long each = 2L * (pace.warmUpSeconds() + pace.turns() * pace.seconds());
        return Duration.ofSeconds(clusters * START_SECONDS + cases.size() * each);
    }
}
