package dev.quorate.testkit.live;

import dev.quorate.node.ClusterNode;
import dev.quorate.node.config.NodeOptions;
import dev.quorate.node.config.OptionsReader;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;

/** Real nodes, with real sockets and disks, in this process. */
final class NodesInOneProcess implements AutoCloseable {

    private static final int PEER_PORT_OFFSET = 1;
    private static final int FIRST_PORT = 11_000;
    private static final int LAST_PORT = 17_000;

    private final Path data;
    private final int[] ports;
    private final String topology;
    private final @Nullable ClusterNode[] nodes;
    private final List<String> fatal = new ArrayList<>();

    NodesInOneProcess(Path data, int count) throws IOException {
        this.data = data;
        this.ports = freePortPairs(count);
        this.topology =
                IntStream.range(0, count)
                        .mapToObj(i -> "n" + (i + 1) + "=http://127.0.0.1:" + ports[i])
                        .collect(Collectors.joining(","));
        this.nodes = new ClusterNode[count];
        for (int node = 1; node <= count; node++) {
            start(node);
        }
        for (ClusterNode node : nodes) {
            Awaitility.await().until(() -> node != null && node.votes());
        }
    }

    /** Ports that are free together with the next one, where the peers' door will be. */
    private static int[] freePortPairs(int count) throws IOException {
        int[] found = new int[count];
        int next = FIRST_PORT + (int) (ProcessHandle.current().pid() * 16 % 5_000);
        int have = 0;
        for (int port = next; have < count && port < LAST_PORT; port += 2) {
            if (isFree(port) && isFree(port + PEER_PORT_OFFSET)) {
                found[have++] = port;
            }
        }
        if (have < count) {
            throw new IOException("no free ports");
        }
        return found;
    }

    private static boolean isFree(int port) {
        try (ServerSocket socket = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
            return socket.isBound();
        } catch (IOException e) {
            return false;
        }
    }

    void start(int node) throws IOException {
        start(node, topology);
    }

    void start(int node, String asTopology) throws IOException {
        NodeOptions options =
                OptionsReader.read(
                        Map.of(
                                "name",
                                "n" + node,
                                "topology",
                                asTopology,
                                "data",
                                data.resolve("n" + node).toString(),
                                "secret",
                                "nodes-in-one-process",
                                "peer-port-offset",
                                "" + PEER_PORT_OFFSET,
                                "reserved-disk-bytes",
                                "0",
                                "memtable-bytes",
                                "1MiB",
                                "segment-bytes",
                                "2MiB"));
        nodes[node - 1] = ClusterNode.start(options, fatal::add);
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
        return ports[node - 1];
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
