package dev.quorate.cli.local;

import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.stream.IntStream;

/**
 * The plan of a local cluster, stored in its directory, so that a node can be restarted.
 *
 * @param nodes the number of nodes there have been: n1 to n{@code nodes}
 * @param firstPort the port of n1; the others follow
 * @param heap the heap of each node, such as 128m
 * @param nodeOptions additional flags of each node
 * @param removed the nodes that are not members any more
 */
record ClusterPlan(
        int nodes, int firstPort, String heap, List<String> nodeOptions, List<String> removed) {

    static final int DEFAULT_NODES = 3;

    /** The same default as that of the launcher. */
    static final String DEFAULT_HEAP = System.getenv().getOrDefault("QUORATE_HEAP", "128m");

    /** The default offset of nodes; a start checks that the ports for peers are free. */
    static final int PEER_PORT_OFFSET = 10_000;

    static final ClusterPlan DEFAULT =
            new ClusterPlan(DEFAULT_NODES, 8080, DEFAULT_HEAP, List.of(), List.of());

    ClusterPlan checked() throws LocalFailure {
        if (nodes < 1 || nodes > Node.MAX_MEMBERS) {
            throw new LocalFailure(
                    "A local cluster has 1 to %d nodes, not %d."
                            .formatted(Node.MAX_MEMBERS, nodes));
        }
        int lastFirstPort = 65_535 - PEER_PORT_OFFSET - nodes + 1;
        if (firstPort < 1 || firstPort > lastFirstPort) {
            throw new LocalFailure(
                    ("With %d nodes the first port must be 1 to %d (peers use the port %d higher),"
                                    + " not %d.")
                            .formatted(nodes, lastFirstPort, PEER_PORT_OFFSET, firstPort));
        }
        if (!heap.matches("[1-9][0-9]*[kKmMgG]?")) {
            throw new LocalFailure("A heap is written like 128m or 1g, not '" + heap + "'.");
        }
        return this;
    }

    /** The nodes of the cluster. */
    List<String> names() {
        return all().stream().filter(name -> !removed.contains(name)).toList();
    }

    /** The names of all nodes, including removed ones. */
    List<String> all() {
        return IntStream.rangeClosed(1, nodes).mapToObj(i -> "n" + i).toList();
    }

    int size() {
        return nodes - removed.size();
    }

    /** The plan with {@code size} nodes. Names of removed nodes are not used again. */
    ClusterPlan grownTo(int size) {
        return new ClusterPlan(size + removed.size(), firstPort, heap, nodeOptions, removed);
    }

    ClusterPlan without(String name) {
        List<String> now = new ArrayList<>(removed);
        now.add(name);
        return new ClusterPlan(nodes, firstPort, heap, nodeOptions, now);
    }

    int port(String name) {
        return firstPort + Integer.parseInt(name.substring(1)) - 1;
    }

    String url(String name) {
        return "http://127.0.0.1:" + port(name);
    }

    /** The number of running nodes that a write with the default replicas needs. */
    int votersNeeded() {
        return Math.min(size(), DEFAULT_NODES) / 2 + 1;
    }

    /** The value of the flag {@code --topology}. */
    String topology() {
        return String.join(",", names().stream().map(name -> name + "=" + url(name)).toList());
    }

    Properties toProperties() {
        Properties properties = new Properties();
        properties.setProperty("nodes", "" + nodes);
        properties.setProperty("port", "" + firstPort);
        properties.setProperty("heap", heap);
        put(properties, "option.", nodeOptions);
        put(properties, "removed.", removed);
        return properties;
    }

    private static void put(Properties properties, String prefix, List<String> values) {
        for (int i = 0; i < values.size(); i++) {
            properties.setProperty(prefix + i, values.get(i));
        }
    }

    private static List<String> list(Properties properties, String prefix) {
        List<String> values = new ArrayList<>();
        String value;
        while ((value = properties.getProperty(prefix + values.size())) != null) {
            values.add(value);
        }
        return values;
    }

    /**
     * The reverse of {@link #toProperties}.
     *
     * @throws IllegalArgumentException if a number is missing or invalid
     */
    static ClusterPlan fromProperties(Properties properties) {
        return new ClusterPlan(
                Integer.parseInt(properties.getProperty("nodes", "")),
                Integer.parseInt(properties.getProperty("port", "")),
                properties.getProperty("heap", DEFAULT_HEAP),
                list(properties, "option."),
                list(properties, "removed."));
    }
}
