package dev.quorate.cli.local;

import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.stream.IntStream;

/**
 * The plan of a local cluster, stored in its directory, so that a node can be restarted.
 *
 * @param nodes the number of nodes: n1 to n{@code nodes}
 * @param firstPort the port of n1; the others follow
 * @param heap the heap of each node, such as 128m
 * @param nodeOptions additional flags of each node
 */
record ClusterPlan(int nodes, int firstPort, String heap, List<String> nodeOptions) {

    static final int DEFAULT_NODES = 3;

    /** The same default as that of the launcher. */
    static final String DEFAULT_HEAP = System.getenv().getOrDefault("QUORATE_HEAP", "128m");

    /** The default offset of nodes; a start checks that the ports for peers are free. */
    static final int PEER_PORT_OFFSET = 10_000;

    static final ClusterPlan DEFAULT =
            new ClusterPlan(DEFAULT_NODES, 8080, DEFAULT_HEAP, List.of());

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

    List<String> names() {
        return IntStream.rangeClosed(1, nodes).mapToObj(i -> "n" + i).toList();
    }

    int port(String name) {
        return firstPort + Integer.parseInt(name.substring(1)) - 1;
    }

    String url(String name) {
        return "http://127.0.0.1:" + port(name);
    }

    /** The number of running nodes that a write with the default replicas needs. */
    int votersNeeded() {
        return Math.min(nodes, DEFAULT_NODES) / 2 + 1;
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
        for (int i = 0; i < nodeOptions.size(); i++) {
            properties.setProperty("option." + i, nodeOptions.get(i));
        }
        return properties;
    }

    /**
     * The reverse of {@link #toProperties}.
     *
     * @throws IllegalArgumentException if a number is missing or invalid
     */
    static ClusterPlan fromProperties(Properties properties) {
        List<String> nodeOptions = new ArrayList<>();
        String option;
        while ((option = properties.getProperty("option." + nodeOptions.size())) != null) {
            nodeOptions.add(option);
        }
        return new ClusterPlan(
                Integer.parseInt(properties.getProperty("nodes", "")),
                Integer.parseInt(properties.getProperty("port", "")),
                properties.getProperty("heap", DEFAULT_HEAP),
                nodeOptions);
    }
}
