package dev.quorate.testkit.cluster;

import dev.quorate.node.config.NodeOptions;
import dev.quorate.node.config.OptionsReader;
import dev.quorate.router.placement.ReplicaSelector;
import dev.quorate.router.ring.HashRing;
import dev.quorate.router.topology.Topology;
import dev.quorate.testkit.history.History;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
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
import java.util.stream.Stream;

/** Assembles the machines, their network and their clients, and closes them. */
public final class TestCluster implements AutoCloseable {

    private static final Duration READY_WITHIN = Duration.ofSeconds(15);
    private static final long LOOK_MILLIS = 1;

    /** Long, so that a loss of power finds what no fsync has made durable. */
    private static final long ASYNC_WINDOW_MILLIS = 60_000;

    /** The options that the cluster sets itself. */
    private static final Set<String> OWN_SETTINGS =
            Set.of("name", "topology", "data", "host", "port", "peer-port-offset", "secret");

    private final TestClusterOptions plan;
    private final FaultLog log = new FaultLog();
    private final Path directory;
    private final Ports ports;
    private final TestNetwork network;
    private final Clients clients;
    private final ReplicaSelector selector;

    /** How far the cluster's time is ahead of the machine's. */
    private final AtomicLong aheadMillis;

    private final List<TestNode> nodes = new ArrayList<>();
    private boolean closed;

    private TestCluster(TestClusterOptions plan, Path directory, Ports ports) throws IOException {
        this.plan = plan;
        this.directory = directory;
        this.ports = ports;
        this.network = new TestNetwork(plan.nodes(), plan.seed(), log);
        List<NodeOptions> options =
                IntStream.rangeClosed(1, plan.nodes()).mapToObj(this::options).toList();
        Topology topology = options.getFirst().topology();
        this.selector = new ReplicaSelector(new HashRing(topology));
        this.clients =
                new Clients(plan.nodes(), topology.replicationFactor(), plan.clientTimeout());
        this.aheadMillis = new AtomicLong(plan.originMillis());
        for (int number = 1; number <= plan.nodes(); number++) {
            String name = "n" + number;
            nodes.add(
                    new TestNode(
                            number,
                            options.get(number - 1),
                            selector,
                            new TestDisk(name, directory.resolve(name), log),
                            new TestClock(name, log, aheadMillis),
                            network,
                            clients,
                            log));
        }
    }

    /**
     * Makes a cluster and starts it.
     *
     * @throws UncheckedIOException if a node cannot start
     * @throws IllegalArgumentException if a setting makes no sense
     */
    public static TestCluster start(TestClusterOptions plan) {
        for (String key : plan.settings().keySet()) {
            if (OWN_SETTINGS.contains(key)) {
                throw new IllegalArgumentException("The cluster sets " + key + " by itself.");
            }
        }
        TestCluster cluster = make(plan);
        try {
            cluster.startAll();
            return cluster;
        } catch (RuntimeException e) {
            cluster.close();
            throw e;
        }
    }

    private static TestCluster make(TestClusterOptions plan) {
        try {
            Path directory = Files.createTempDirectory("quorate-cluster").toRealPath();
            Ports ports = new Ports(plan.nodes());
            try {
                return new TestCluster(plan, directory, ports);
            } catch (IOException | RuntimeException e) {
                ports.close();
                delete(directory);
                throw e;
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private NodeOptions options(int number) {
        Map<String, String> texts = new TreeMap<>(plan.settings());
        texts.put("name", "n" + number);
        texts.put(
                "topology",
                IntStream.rangeClosed(1, plan.nodes())
                        .mapToObj(i -> "n" + i + "=http://127.0.0.1:" + ports.chosen().get(i - 1))
                        .collect(Collectors.joining(",")));
        texts.put("data", directory.resolve("n" + number).resolve(TestDisk.DATA).toString());
        texts.put("secret", "an embedded cluster's");
        texts.put("host", "127.0.0.1");
        texts.put("peer-port-offset", "" + Ports.PEER_OFFSET);
        return OptionsReader.read(texts)
                .withStorage(storage -> storage.withAsyncWindowMillis(ASYNC_WINDOW_MILLIS));
    }

    /** Starts all nodes that are down in parallel: a start mostly waits for the disk. */
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

    // ---- its parts

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

    public TestNetwork network() {
        return network;
    }

    public long seed() {
        return plan.seed();
    }

    public History history() {
        return clients.history();
    }

    /** The first that runs. */
    public TestNode anyNode() {
        return nodes.stream()
                .filter(node -> node.state() == TestNode.State.RUNNING)
                .findFirst()
                .orElseThrow(() -> new IllegalStateException("No node runs: " + nodes));
    }

    /** The owners of a key, as many as there are replicas by default. */
    public List<TestNode> owners(String key) {
        int from = selector.ring().topology().replicationFactor();
        return selector.replicas(key.getBytes(StandardCharsets.UTF_8), from).stream()
                .map(member -> node(TestNode.numberOf(member)))
                .toList();
    }

    // ---- its life

    /** See {@code QuorateCluster.advance}. */
    public void advance(Duration by) {
        aheadMillis.addAndGet(by.toMillis());
        log.record("the clocks of all nodes are advanced by " + by);
    }

    /** See {@code QuorateCluster.awaitReady}. */
    public void awaitReady() {
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
    }

    private boolean isReady() {
        return nodes.stream()
                .filter(node -> node.state() == TestNode.State.RUNNING)
                .allMatch(node -> node.asksAll(nodes));
    }

    /** Several lines for the output of a failed test. */
    public String describe() {
        String faults = network.toString();
        return "Embedded cluster, seed "
                + plan.seed()
                + " (-Dquorate.seed="
                + plan.seed()
                + ")\n"
                + nodes.stream().map(TestNode::describe).collect(Collectors.joining())
                + (faults.isEmpty() ? "" : "network:\n" + faults)
                + "what was done:\n"
                + log;
    }

    @Override
    public synchronized void close() {
        if (closed) {
            return;
        }
        closed = true;
        String mishaps =
                nodes.stream()
                        .map(TestNode::mishap)
                        .filter(Objects::nonNull)
                        .collect(Collectors.joining("; "));
        String told = mishaps.isEmpty() ? "" : describe();
        nodes.forEach(TestNode::close);
        clients.close();
        ports.close();
        try {
            delete(directory);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        if (!mishaps.isEmpty()) {
            throw new IllegalStateException("A node has given up, " + mishaps + "\n" + told);
        }
    }

    private static void delete(Path folder) throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
    }
}
