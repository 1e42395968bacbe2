package dev.quorate.loadtest.bench;

import dev.quorate.loadtest.wrk.Load;
import java.util.ArrayList;
import java.util.List;

/**
 * What is measured, in order.
 *
 * @param clusters one after the other
 * @param pace how long and how often
 * @param keys how many keys are there before anything is measured
 * @param valueBytes the size of each value
 * @param connections how many requests are under way at any time
 */
public record BenchPlan(
        List<ClusterPlan> clusters, Pace pace, int keys, int valueBytes, int connections) {

    /** Enough that the nodes have compiled what they run: after 5 seconds they still get faster. */
    public static final Pace THOROUGH = new Pace(12, 10, 3);

    /** Less certain, and over in three minutes for the plan of {@link #standard}. */
    public static final Pace QUICK = new Pace(2, 3, 3);

    public BenchPlan {
        clusters = List.copyOf(clusters);
    }

    /**
     * How long and how often each case is run.
     *
     * @param warmUpSeconds before it counts
     * @param runSeconds each time that counts
     * @param runs how many times; the median is what is reported
     */
    public record Pace(int warmUpSeconds, int runSeconds, int runs) {}

    /**
     * A cluster of its own.
     *
     * @param name how many nodes, in words
     * @param cases what is measured through its first node; the first is the static answer, to
     *     which the others are compared
     */
    public record ClusterPlan(String name, int nodes, List<BenchCase> cases) {

        public ClusterPlan {
            cases = List.copyOf(cases);
            if (cases.getFirst().operation() != Load.Operation.STATIC) {
                throw new IllegalArgumentException("the first case has to be the static answer");
            }
        }
    }

    /**
     * One figure.
     *
     * @param name within its cluster
     * @param replicas {@code ack/from}
     */
    public record BenchCase(String name, Load.Operation operation, String replicas) {}

    /** One node, and three through the first of them. Reads come first, writes disturb them. */
    public static BenchPlan standard(Pace pace, int keys, int valueBytes, int connections) {
        BenchCase fixed = new BenchCase("static", Load.Operation.STATIC, "1/1");
        ClusterPlan one =
                new ClusterPlan(
                        "one node",
                        1,
                        List.of(
                                fixed,
                                new BenchCase("GET", Load.Operation.GET, "1/1"),
                                new BenchCase("durable PUT", Load.Operation.PUT, "1/1")));
        List<BenchCase> cases = new ArrayList<>(List.of(fixed));
        for (String replicas : List.of("1/1", "2/3", "3/3")) {
            cases.add(new BenchCase("GET " + replicas, Load.Operation.GET, replicas));
        }
        for (String replicas : List.of("1/1", "2/3", "3/3")) {
            cases.add(new BenchCase("durable PUT " + replicas, Load.Operation.PUT, replicas));
        }
        ClusterPlan three = new ClusterPlan("three nodes", 3, cases);
        return new BenchPlan(List.of(one, three), pace, keys, valueBytes, connections);
    }
}
