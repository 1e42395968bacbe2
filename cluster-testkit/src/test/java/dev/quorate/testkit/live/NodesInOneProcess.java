package dev.quorate.testkit.live;

import dev.quorate.cli.process.ProcessCluster;
import dev.quorate.node.ClusterNode;
import dev.quorate.node.config.OptionsReader;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;

/** Real nodes, with real sockets and disks, in this process. */
final class NodesInOneProcess implements AutoCloseable {

    static final String SECRET = "nodes-in-one-process";

    private final Path data;
    private final int firstPort;
    private final String topology;
    private final int timeoutMillis;
    private final @Nullable ClusterNode[] nodes;
    private final Map<String, String> options = new HashMap<>();
    private final List<String> fatal = new ArrayList<>();

    NodesInOneProcess(Path data, int count) throws IOException {
        this(data, count, Map.of());
    }

    /**
     * Starts all of them.
     *
     * @param more options of each node
     */
    NodesInOneProcess(Path data, int count, Map<String, String> more) throws IOException {
        this(data, count, 1_000);
        options.putAll(more);
        for (int node = 1; node <= count; node++) {
            start(node);
        }
        for (ClusterNode node : nodes) {
            Awaitility.await().until(() -> node != null && node.votes());
        }
    }

    /** Starts none of them. */
    NodesInOneProcess(Path data, int count, int timeoutMillis) throws IOException {
        this.timeoutMillis = timeoutMillis;
        this.data = data;
        this.firstPort = ProcessCluster.freePorts(count);
        this.topology =
                IntStream.range(0, count)
                        .mapToObj(i -> "n" + (i + 1) + "=http://127.0.0.1:" + port(i + 1))
                        .collect(Collectors.joining(","));
        this.nodes = new ClusterNode[count];
    }

    void start(int node) throws IOException {
        start(node, topology);
    }

    void start(int node, String asTopology) throws IOException {
        start(node, asTopology, timeoutMillis);
    }

    void start(int node, String asTopology, int requestTimeoutMillis) throws IOException {
        Map<String, String> all = new HashMap<>(options);
        all.put("name", "n" + node);
        all.put("topology", asTopology);
        all.put("data", data.resolve("n" + node).toString());
        all.put("secret", SECRET);
        all.put("reserved-disk-bytes", "0");
        all.put("request-timeout", requestTimeoutMillis + "ms");
        all.put("memtable-bytes", "1MiB");
        all.put("segment-bytes", "2MiB");
        nodes[node - 1] = ClusterNode.start(OptionsReader.read(all), fatal::add);
    }

    void stop(int node) {
        ClusterNode running = nodes[node - 1];
        if (running != null) {
            running.stop();
            nodes[node - 1] = null;
        }
    }

    String topology() {
        return topology;
    }

    int port(int node) {
        return firstPort + node - 1;
    }

    String url(int node) {
        return "http://127.0.0.1:" + port(node);
    }

    @Override
    public void close() {
        Arrays.setAll(
                nodes,
                i -> {
                    stop(i + 1);
                    return null;
                });
        if (!fatal.isEmpty()) {
            throw new AssertionError("a node gave up: " + fatal);
        }
    }
}
