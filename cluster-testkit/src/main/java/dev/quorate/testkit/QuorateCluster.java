package dev.quorate.testkit;

import dev.quorate.client.QuorateClient;
import dev.quorate.node.config.NodeOptions;
import dev.quorate.node.config.OptionsReader;
import dev.quorate.router.placement.ReplicaSelector;
import dev.quorate.router.ring.HashRing;
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
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * A whole cluster in this process, for tests: production nodes that answer over HTTP on ports of
 * the loopback address, each with a directory of its own, and every kind of fault at hand.
 *
 * <pre>{@code
 * try (var cluster = QuorateCluster.start(3)) {
 *     cluster.put("k", "v");
 *     cluster.node(1).kill();
 *     assert cluster.node(2).get("k", "2/3").text().equals("v");
 * }
 * }</pre>
 *
 * <p>Nodes are numbered from 1. What is real and what is not is in {@code docs/embedding.md}. May
 * be used from any number of threads.
 */
public final class QuorateCluster implements AutoCloseable {

    private static final int MAX_NODES = 64;
    private static final Duration READY_WITHIN = Duration.ofSeconds(15);
    private static final long LOOK_MILLIS = 1;

    /** Long, so that a loss of power finds what no fsync has made durable. */
    private static final long ASYNC_WINDOW_MILLIS = 60_000;

    /** Small files and few threads, for fast starts. All other options are those of production. */
    private static final Map<String, String> SETTINGS =
            Map.of(
                    "memtable-bytes", "1MiB",
                    "segment-bytes", "2MiB",
                    "reserved-disk-bytes", "1MiB",
                    "selectors", "1");

    /** The options that the cluster sets itself. */
    private static final Set<String> OWN_SETTINGS =
            Set.of("name", "topology", "data", "host", "port", "peer-port-offset", "secret");

    private final long seed;
    private final FaultLog log = new FaultLog();
    private final Path directory;
    private final Ports ports;
    private final TestNetwork network;
    private final Clients clients;
    private final ReplicaSelector selector;

    /** How far the cluster's time is ahead of the machine's. */
    private final AtomicLong aheadMillis = new AtomicLong();

    private final List<TestNode> nodes = new ArrayList<>();
    private boolean closed;

    private QuorateCluster(Builder plan, Path directory, Ports ports) throws IOException {
        this.seed = plan.seed;
        this.directory = directory;
        this.ports = ports;
        this.network = new TestNetwork(plan.nodes, seed, log);
        List<NodeOptions> options =
                IntStream.rangeClosed(1, plan.nodes)
                        .mapToObj(number -> options(number, plan))
                        .toList();
        Topology topology = options.getFirst().topology();
        this.selector = new ReplicaSelector(new HashRing(topology));
        this.clients = new Clients(plan.nodes, topology.replicationFactor(), plan.clientTimeout);
        if (plan.wallClock != null) {
            aheadMillis.set(plan.wallClock.toEpochMilli() - SystemTicker.INSTANCE.wallMillis());
        }
        for (int number = 1; number <= plan.nodes; number++) {
            String name = "n" + number;
            nodes.add(
                    new TestNode(
                            number,
                            options.get(number - 1),
                            selector,
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

    /** Starts nodes, which are connected to each other when this returns. */
    public static QuorateCluster start(int nodes) {
        return builder().nodes(nodes).start();
    }

    /** Three nodes with a production node's settings, but for the sizes of their files. */
    public static Builder builder() {
        return new Builder();
    }

    /** The options of a cluster. */
    public static final class Builder {
        private int nodes = 3;
        private final Map<String, String> settings = new TreeMap<>(SETTINGS);
        private @Nullable Instant wallClock;
        private long seed = Long.getLong("quorate.seed", SystemTicker.INSTANCE.nanos());
        private Duration clientTimeout = Duration.ofSeconds(10);

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

        /** The time at which the nodes' clocks begin. The default is the machine's. */
        public Builder wallClock(Instant begin) {
            wallClock = begin;
            return this;
        }

        /**
         * The seed of the network's random faults. The default is the system property {@code
         * quorate.seed}, or else a new seed, which {@link #describe} contains.
         */
        public Builder seed(long number) {
            seed = number;
            return this;
        }

        /** How long {@code put}, {@code get} and {@code delete} wait. The default is 10 seconds. */
        public Builder clientTimeout(Duration timeout) {
            clientTimeout = timeout;
            return this;
        }

        /**
         * Starts the nodes, which are connected to each other when this returns.
         *
         * @throws UncheckedIOException if one cannot start
         * @throws IllegalArgumentException if a setting makes no sense
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

    // ---- its parts

    /** One of the nodes, from 1, whether it is up or not. */
    public TestNode node(int number) {
        if (number < 1 || number > nodes.size()) {
            throw new IllegalArgumentException(
                    "There is no node " + number + "; they are 1 to " + nodes.size() + ".");
        }
        return nodes.get(number - 1);
    }

    public List<TestNode> nodes() {
        return List.copyOf(nodes);
    }

    /** The network between the nodes. */
    public TestNetwork network() {
        return network;
    }

    /** Where a node answers clients, such as {@code http://127.0.0.1:40001}. */
    public String url(int node) {
        return node(node).url();
    }

    /** The nodes that own a key, in their order, as many as there are replicas by default. */
    public List<TestNode> owners(String key) {
        int from = selector.ring().topology().replicationFactor();
        return selector.replicas(key.getBytes(StandardCharsets.UTF_8), from).stream()
                .map(member -> node(TestNode.numberOf(member)))
                .toList();
    }

    /**
     * Waits until each running node sends requests to all other running nodes that it can reach. A
     * peer that was marked down is probed again within some seconds.
     *
     * @throws IllegalStateException if that takes longer than 15 seconds
     */
    public QuorateCluster awaitReady() {
        CountDownLatch never = new CountDownLatch(1);
        long looks = READY_WITHIN.toMillis() / LOOK_MILLIS;
        try {
            while (!isReady()) {
                if (--looks < 0) {
                    throw new IllegalStateException(
                            "The nodes have not found each other.\n" + describe());
                }
                var _ = never.await(LOOK_MILLIS, TimeUnit.MILLISECONDS);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while waiting for the nodes", e);
        }
        return this;
    }

    private boolean isReady() {
        return nodes.stream()
                .filter(node -> node.state() == TestNode.State.RUNNING)
                .allMatch(node -> node.asksAll(nodes));
    }

    /**
     * Starts all nodes that are down, at once, since a start mostly waits for the disk, and waits
     * as {@link #awaitReady} does.
     */
    public void startAll() {
        AtomicReference<RuntimeException> failure = new AtomicReference<>();
        List<Thread> threads =
                nodes.stream()
                        .filter(node -> !node.isUp())
                        .map(
                                node ->
                                        Thread.ofPlatform()
                                                .name(node.name() + "-start")
                                                .daemon()
                                                .start(() -> start(node, failure)))
                        .toList();
        try {
            for (Thread thread : threads) {
                thread.join();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while the nodes start", e);
        }
        RuntimeException failed = failure.get();
        if (failed != null) {
            throw failed;
        }
        awaitReady();
    }

    private static void start(TestNode node, AtomicReference<RuntimeException> failure) {
        try {
            node.start();
        } catch (RuntimeException e) {
            failure.compareAndSet(null, e);
        }
    }

    /**
     * Advances the wall clocks of all nodes at once, for example past an expiry. For a moment after
     * it writes may be answered with 503: a node persists the limit of its clock before the clock
     * may reach it.
     */
    public void advance(Duration by) {
        aheadMillis.addAndGet(by.toMillis());
        log.record("the clocks of all nodes are advanced by " + by);
    }

    /**
     * A new client of all nodes, to be closed by the caller. What it does is not in {@link
     * #history}.
     */
    public QuorateClient client() {
        return QuorateClient.builder()
                .nodes(nodes.stream().map(node -> URI.create(node.url())).toList())
                .build();
    }

    // ---- a client of any node

    /** The first that runs. */
    private TestNode anyNode() {
        return nodes.stream()
                .filter(node -> node.state() == TestNode.State.RUNNING)
                .findFirst()
                .orElseThrow(() -> new IllegalStateException("No node runs: " + nodes));
    }

    /** Sends to the first running node. */
    public Reply put(String key, String value) {
        return anyNode().put(key, value);
    }

    /** Sends to the first running node. */
    public Reply put(String key, String value, String replicas) {
        return anyNode().put(key, value, replicas);
    }

    /** Sends to the first running node. */
    public Reply get(String key) {
        return anyNode().get(key);
    }

    /** Sends to the first running node. */
    public Reply get(String key, String replicas) {
        return anyNode().get(key, replicas);
    }

    /** Sends to the first running node. */
    public Reply delete(String key) {
        return anyNode().delete(key);
    }

    /** Sends to the first running node. */
    public Reply delete(String key, String replicas) {
        return anyNode().delete(key, replicas);
    }

    // ---- what happened

    /**
     * The requests that were sent through this class and its nodes, and their answers. Requests of
     * other clients are not included.
     *
     * @throws IllegalArgumentException if two PUTs of a key had the same value
     */
    public History history() {
        return clients.history();
    }

    /**
     * Whether the history so far fulfils the promise: no acknowledged write is lost or hidden, and
     * no deleted value reappears.
     *
     * @throws IllegalArgumentException if two PUTs of a key had the same value
     */
    public HistoryVerdict verdict() {
        return Checker.check(history());
    }

    /** The seed of the network's random faults. */
    public long seed() {
        return seed;
    }

    /** A text for the output of a failed test: the seed, the nodes, and the injected faults. */
    public String describe() {
        String faults = network.toString();
        return "Embedded cluster, seed "
                + seed
                + " (-Dquorate.seed="
                + seed
                + ")\n"
                + nodes.stream().map(TestNode::describe).collect(Collectors.joining())
                + (faults.isEmpty() ? "" : "network:\n" + faults)
                + "what was done:\n"
                + log;
    }

    /**
     * Ends the nodes and deletes their directories.
     *
     * @throws IllegalStateException if a node has ended by itself without a disk fault
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
        String told = mishaps.isEmpty() ? "" : describe();
        nodes.forEach(TestNode::close);
        clients.close();
        ports.close();
        try {
            new DiskFiles().deleteTree(directory);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        if (!mishaps.isEmpty()) {
            throw new IllegalStateException("A node has given up, " + mishaps + "\n" + told);
        }
    }
}
