package dev.quorate.testkit;

import dev.quorate.client.QuorateClient;
import dev.quorate.node.config.NodeOptions;
import dev.quorate.node.config.OptionsReader;
import dev.quorate.router.ring.Ring;
import dev.quorate.router.runtime.SystemTicker;
import dev.quorate.router.topology.Topology;
import dev.quorate.storage.io.DiskFiles;
import dev.quorate.testkit.history.Checker;
import dev.quorate.testkit.history.History;
import dev.quorate.testkit.history.HistoryVerdict;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * A cluster in this process, for tests: production nodes that serve HTTP on loopback ports, each
 * with its own directory, and faults that tests can inject.
 *
 * <pre>{@code
 * try (var cluster = QuorateCluster.start(3)) {
 *     cluster.put("k", "v");
 *     cluster.node(1).kill();
 *     assert cluster.node(2).get("k", "2/3").text().equals("v");
 * }
 * }</pre>
 *
 * <p>Nodes are numbered from 1. {@code docs/embedding.md} lists the differences from a real
 * cluster. Thread-safe.
 */
public final class QuorateCluster implements AutoCloseable {

    private static final int MAX_NODES = 64;
    private static final long LOOK_NANOS = 1_000_000;
    private static final int MAX_LOOKS = 15_000;

    /** Long, so that a power loss hits data that no fsync has made durable. */
    private static final long ASYNC_WINDOW_MILLIS = 60_000;

    /** Small files and few threads, for fast starts. */
    private static final Map<String, String> SETTINGS =
            Map.of(
                    "memtable-bytes", "1MiB",
                    "segment-bytes", "2MiB",
                    "reserved-disk-bytes", "1MiB",
                    "selectors", "1");

    private static final Set<String> OWN_SETTINGS =
            Set.of("name", "topology", "data", "host", "port", "peer-port-offset", "secret");

    private final long seed;
    private final FaultLog log = new FaultLog();
    private final Path directory;
    private final Ports ports;
    private final TestNetwork network;
    private final Clients clients;
    private final Ring ring;

    /** How far the cluster's time is ahead of the machine's, in milliseconds. */
    private final AtomicLong aheadMillis = new AtomicLong();

    private final List<TestNode> nodes = new ArrayList<>();
    private boolean closed;

    private QuorateCluster(Builder plan, Path directory, Ports ports) throws IOException {
        this.seed = Long.getLong("quorate.seed", SystemTicker.INSTANCE.nanos());
        this.directory = directory;
        this.ports = ports;
        this.network = new TestNetwork(plan.nodes, seed, log);
        List<NodeOptions> options =
                IntStream.rangeClosed(1, plan.nodes)
                        .mapToObj(number -> options(number, plan))
                        .toList();
        Topology topology = options.getFirst().topology();
        this.ring = new Ring(topology);
        this.clients = new Clients(plan.nodes, topology.replicationFactor());
        if (plan.wallClock != null) {
            aheadMillis.set(plan.wallClock.toEpochMilli() - SystemTicker.INSTANCE.wallMillis());
        }
        for (int number = 1; number <= plan.nodes; number++) {
            String name = "n" + number;
            nodes.add(
                    new TestNode(
                            number,
                            options.get(number - 1),
                            ring,
                            new TestDisk(name, directory.resolve(name), log),
                            new TestClock(name, log, aheadMillis),
                            network,
                            clients));
        }
    }

    private NodeOptions options(int number, Builder plan) {
        Map<String, String> texts = new TreeMap<>(plan.settings);
        texts.put("name", "n" + number);
        texts.put(
                "topology",
                IntStream.rangeClosed(1, plan.nodes)
                        .mapToObj(i -> "n" + i + "=http://127.0.0.1:" + ports.chosen().get(i - 1))
                        .collect(Collectors.joining(",")));
        texts.put("data", directory.resolve("n" + number).resolve(TestDisk.DATA).toString());
        texts.put("secret", "an embedded cluster's");
        texts.put("host", "127.0.0.1");
        texts.put("peer-port-offset", "" + Ports.PEER_OFFSET);
        return OptionsReader.read(texts)
                .withStorage(storage -> storage.withAsyncWindowMillis(ASYNC_WINDOW_MILLIS));
    }

    /** Starts nodes and returns when they are connected to each other. */
    public static QuorateCluster start(int nodes) {
        return builder().nodes(nodes).start();
    }

    /** Three nodes with the settings of a production node, except for smaller files. */
    public static Builder builder() {
        return new Builder();
    }

    public static final class Builder {
        private int nodes = 3;
        private final Map<String, String> settings = new TreeMap<>(SETTINGS);
        private @Nullable Instant wallClock;

        private Builder() {}

        /** From 1 to 64. The default is 3. */
        public Builder nodes(int count) {
            if (count < 1 || count > MAX_NODES) {
                throw new IllegalArgumentException(
                        "A cluster has 1 to " + MAX_NODES + " nodes, not " + count + ".");
            }
            nodes = count;
            return this;
        }

        /**
         * An option of every node, as on its command line, without the dashes: {@code
         * setting("request-timeout", "300ms")}. {@code ./quorate node --help} lists them.
         */
        public Builder setting(String key, String value) {
            if (OWN_SETTINGS.contains(key)) {
                throw new IllegalArgumentException("The cluster sets " + key + " by itself.");
            }
            settings.put(key, value);
            return this;
        }

        /** The time that the nodes' clocks show at first. The default is the machine's time. */
        public Builder wallClock(Instant begin) {
            wallClock = begin;
            return this;
        }

        /**
         * Starts the nodes and returns when they are connected to each other.
         *
         * @throws UncheckedIOException if a node cannot start
         * @throws IllegalArgumentException if a setting is invalid
         */
        public QuorateCluster start() {
            QuorateCluster cluster = make();
            try {
                cluster.startAll();
                return cluster;
            } catch (RuntimeException e) {
                cluster.close();
                throw e;
            }
        }

        private QuorateCluster make() {
            try {
                Path directory = Files.createTempDirectory("quorate-cluster").toRealPath();
                Ports ports = new Ports(nodes);
                try {
                    return new QuorateCluster(this, directory, ports);
                } catch (IOException | RuntimeException e) {
                    ports.close();
                    new DiskFiles().deleteTree(directory);
                    throw e;
                }
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    // ---- parts

    /** A node by its number, from 1, running or not. */
    public TestNode node(int number) {
        return nodes.get(network.requireNode(number) - 1);
    }

    public List<TestNode> nodes() {
        return List.copyOf(nodes);
    }

    /** The network between the nodes. */
    public TestNetwork network() {
        return network;
    }

    /** The URL of a node for clients, such as {@code http://127.0.0.1:40001}. */
    public String url(int node) {
        return node(node).url();
    }

    /** The owners of a key with the default number of replicas, in order of preference. */
    public List<TestNode> owners(String key) {
        int from = ring.topology().replicationFactor();
        return ring.replicas(key.getBytes(StandardCharsets.UTF_8), from).stream()
                .map(member -> node(TestNode.numberOf(member)))
                .toList();
    }

    /**
     * Waits until each running node sends requests to all other running nodes that it can reach.
     * Nodes probe a peer that they marked down every few seconds.
     *
     * @throws IllegalStateException after 15 seconds
     */
    public QuorateCluster awaitReady() {
        for (int looks = 0; !isReady(); looks++) {
            if (looks == MAX_LOOKS) {
                throw new IllegalStateException(
                        "The nodes have not found each other.\n" + describe());
            }
            LockSupport.parkNanos(LOOK_NANOS);
        }
        return this;
    }

    private boolean isReady() {
        return nodes.stream()
                .filter(node -> node.state() == TestNode.State.RUNNING)
                .allMatch(node -> node.asksAll(nodes));
    }

    /** Starts all stopped nodes in parallel, and then waits as {@link #awaitReady} does. */
    public void startAll() {
        CompletableFuture<?>[] starts =
                nodes.stream()
                        .filter(node -> !node.isUp())
                        .map(node -> CompletableFuture.runAsync(node::start, starter(node)))
                        .toArray(CompletableFuture<?>[]::new);
        try {
            CompletableFuture.allOf(starts).join();
        } catch (CompletionException e) {
            throw e.getCause() instanceof RuntimeException failure ? failure : e;
        }
        awaitReady();
    }

    private static Executor starter(TestNode node) {
        return task -> Thread.ofPlatform().name(node.name() + "-start").daemon().start(task);
    }

    /**
     * Advances the wall clocks of all nodes at once, for example past an expiry. Nodes may answer
     * writes with 503 for a moment: a node persists the limit of its clock before the clock reaches
     * it.
     */
    public void advance(Duration by) {
        aheadMillis.addAndGet(by.toMillis());
        log.record("the clocks of all nodes are advanced by " + by);
    }

    /** A new client of all nodes, which {@link #history} does not record. The caller closes it. */
    public QuorateClient client() {
        return QuorateClient.builder()
                .nodes(nodes.stream().map(node -> URI.create(node.url())).toList())
                .build();
    }

    // ---- requests to the first running node

    private TestNode anyNode() {
        return nodes.stream()
                .filter(node -> node.state() == TestNode.State.RUNNING)
                .findFirst()
                .orElseThrow(() -> new IllegalStateException("No node runs: " + nodes));
    }

    public Reply put(String key, String value) {
        return anyNode().put(key, value);
    }

    public Reply put(String key, String value, String replicas) {
        return anyNode().put(key, value, replicas);
    }

    public Reply get(String key) {
        return anyNode().get(key);
    }

    public Reply get(String key, String replicas) {
        return anyNode().get(key, replicas);
    }

    public Reply delete(String key) {
        return anyNode().delete(key);
    }

    public Reply delete(String key, String replicas) {
        return anyNode().delete(key, replicas);
    }

    // ---- results

    /**
     * The requests sent through this class and its nodes, with their answers. Excludes requests of
     * other clients.
     *
     * @throws IllegalArgumentException if two PUTs of a key had the same value
     */
    public History history() {
        return clients.history();
    }

    /**
     * Checks the history so far: no acknowledged write may be lost or hidden, and no deleted value
     * may reappear.
     *
     * @throws IllegalArgumentException if two PUTs of a key had the same value
     */
    public HistoryVerdict verdict() {
        return Checker.check(history());
    }

    /**
     * The seed of the network's random faults: the system property {@code quorate.seed}, or else a
     * new one.
     */
    public long seed() {
        return seed;
    }

    /** Text for the output of a failed test: the seed, the nodes, and the injected faults. */
    public String describe() {
        String faults = network.toString();
        return "Embedded cluster, seed %d (-Dquorate.seed=%1$d)\n%s%swhat was done:\n%s"
                .formatted(
                        seed,
                        nodes.stream().map(TestNode::describe).collect(Collectors.joining()),
                        faults.isEmpty() ? "" : "network:\n" + faults,
                        log);
    }

    /**
     * Ends the nodes and deletes their directories.
     *
     * @throws IllegalStateException if a node ended itself without a disk fault
     */
    @Override
    public synchronized void close() {
        if (closed) {
            return;
        }
        closed = true;
        String mishaps =
                nodes.stream()
                        .map(TestNode::unexpectedFailure)
                        .filter(Objects::nonNull)
                        .collect(Collectors.joining("; "));
        String description = mishaps.isEmpty() ? "" : describe();
        nodes.forEach(TestNode::close);
        clients.close();
        ports.close();
        try {
            new DiskFiles().deleteTree(directory);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        if (!mishaps.isEmpty()) {
            throw new IllegalStateException("A node has given up, " + mishaps + "\n" + description);
        }
    }
}
