package dev.quorate.loadtest.bench;

import dev.quorate.loadtest.bench.BenchPlan.ClusterPlan;
import dev.quorate.loadtest.bench.BenchPlan.Pace;
import dev.quorate.loadtest.load.Load.Operation;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * What is measured unless less is asked for: all operations and replicas with few connections and
 * small values; then the reads and writes that matter most, with more connections, with larger
 * values, and at fixed rates, one of these at a time.
 *
 * @param connections of the base
 * @param valueBytes of the base
 * @param varies whether there is more than the base
 * @param hasRates whether there are fixed rates among the variations, for which it takes wrk2
 */
public record StandardPlan(int connections, int valueBytes, boolean varies, boolean hasRates) {

    private static final List<Integer> OTHER_CONNECTIONS = List.of(1, 16, 256, 1_024);
    private static final List<Integer> LARGER_VALUES = List.of(1_024, 65_536, 1 << 20);

    private static final List<String> COUNTS =
            List.of("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine");

    /** The most nodes that a plan may have. */
    public static final int MAX_NODES = COUNTS.size() - 1;

    private record Replicas(String label, String value) {}

    private record Variation(String label, int connections, int valueBytes, Rate rate) {}

    /**
     * The plan.
     *
     * @param nodes of each cluster, in order; what comes again does not count
     */
    public BenchPlan plan(List<Integer> nodes, Pace pace, int keys) {
        return new BenchPlan(nodes.stream().distinct().map(this::cluster).toList(), pace, keys);
    }

    /** What a cluster of so many nodes is called. */
    public static String clusterName(int nodes) {
        return COUNTS.get(nodes) + (nodes == 1 ? " node" : " nodes");
    }

    private ClusterPlan cluster(int nodes) {
        String name = clusterName(nodes);
        List<BenchCase> cases = new ArrayList<>();
        List<Replicas> all = replicas(nodes);
        Replicas quorum = all.size() == 1 ? all.getFirst() : all.get(1);
        Variation base = new Variation("", connections, valueBytes, Rate.HIGHEST);
        // Reads come first, since writes disturb them, and deletes last, since they leave nothing.
        cases.add(fixed(name, base));
        all.forEach(each -> cases.add(of(name, Operation.GET, each, base)));
        cases.add(of(name, Operation.GET_ABSENT, quorum, base));
        cases.add(of(name, Operation.MIXED, quorum, base));
        all.forEach(each -> cases.add(of(name, Operation.PUT, each, base)));
        if (varies) {
            for (Variation variation : variations()) {
                if (variation.valueBytes() <= BenchCase.MAX_STATIC_BYTES) {
                    cases.add(fixed(name, variation));
                }
                cases.add(of(name, Operation.GET, quorum, variation));
                cases.add(of(name, Operation.PUT, quorum, variation));
            }
        }
        cases.add(of(name, Operation.DELETE, quorum, base));
        return new ClusterPlan(name, nodes, cases);
    }

    /** One, a majority and all of three replicas, or of as many as there can be. */
    private static List<Replicas> replicas(int nodes) {
        return switch (nodes) {
            case 1 -> List.of(new Replicas("", "1/1"));
            case 2 -> List.of(labelled("1/1"), labelled("2/2"));
            default -> List.of(labelled("1/1"), labelled("2/3"), labelled("3/3"));
        };
    }

    private static Replicas labelled(String value) {
        return new Replicas(" " + value, value);
    }

    private List<Variation> variations() {
        List<Variation> variations = new ArrayList<>();
        for (int other : OTHER_CONNECTIONS) {
            if (other != connections) {
                String label =
                        String.format(
                                Locale.ROOT, ", %,d connection%s", other, other == 1 ? "" : "s");
                variations.add(new Variation(label, other, valueBytes, Rate.HIGHEST));
            }
        }
        for (int larger : LARGER_VALUES) {
            if (larger != valueBytes) {
                int kibibytes = larger / 1_024;
                String label =
                        kibibytes < 1_024
                                ? ", " + kibibytes + " KiB"
                                : ", " + kibibytes / 1_024 + " MiB";
                variations.add(new Variation(label, connections, larger, Rate.HIGHEST));
            }
        }
        for (Rate rate : List.of(Rate.TEN_THOUSAND, Rate.HALF)) {
            if (hasRates) {
                variations.add(new Variation(", " + rate.label(), connections, valueBytes, rate));
            }
        }
        return variations;
    }

    private static BenchCase fixed(String cluster, Variation variation) {
        return of(cluster, Operation.STATIC, new Replicas("", "1/1"), variation);
    }

    private static BenchCase of(
            String cluster, Operation operation, Replicas replicas, Variation variation) {
        String name = cluster + ", " + label(operation) + replicas.label() + variation.label();
        return new BenchCase(
                name,
                operation,
                replicas.value(),
                variation.connections(),
                variation.valueBytes(),
                variation.rate());
    }

    /** What a case of that operation is called. */
    public static String label(Operation operation) {
        return switch (operation) {
            case STATIC -> "static";
            case GET -> "GET";
            case GET_ONCE -> "GET of each key once";
            case GET_ABSENT -> "GET absent";
            case PUT -> "durable PUT";
            case PUT_NEW -> "durable PUT of new keys";
            case DELETE -> "durable DELETE";
            case MIXED -> "GET and PUT";
            case RANGE -> "range";
        };
    }
}
