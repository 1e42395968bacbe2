package dev.quorate.testkit;

import dev.quorate.client.QuorateClient;
import dev.quorate.testkit.cluster.Reply;
import dev.quorate.testkit.cluster.TestCluster;
import dev.quorate.testkit.cluster.TestClusterOptions;
import dev.quorate.testkit.cluster.TestNetwork;
import dev.quorate.testkit.cluster.TestNode;
import dev.quorate.testkit.history.Checker;
import dev.quorate.testkit.history.History;
import dev.quorate.testkit.history.Verdict;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

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

    private final TestCluster inside;

    private QuorateCluster(TestCluster inside) {
        this.inside = inside;
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
        private TestClusterOptions plan = TestClusterOptions.defaults();

        private Builder() {}

        /** From 1 to 64. The default is 3. */
        public Builder nodes(int count) {
            plan = plan.withNodes(count);
            return this;
        }

        /**
         * An option of every node, as on its command line, without the dashes: {@code
         * setting("request-timeout", "300ms")}. {@code ./quorate node --help} lists them.
         */
        public Builder setting(String key, String value) {
            plan = plan.withSetting(key, value);
            return this;
        }

        /** The time at which the nodes' clocks begin. The default is the machine's. */
        public Builder wallClock(Instant begin) {
            plan = plan.withWallClock(begin);
            return this;
        }

        /**
         * The seed of the network's random faults. The default is the system property {@code
         * quorate.seed}, or else a new seed, which {@link #describe} contains.
         */
        public Builder seed(long seed) {
            plan = plan.withSeed(seed);
            return this;
        }

        /** How long {@code put}, {@code get} and {@code delete} wait. The default is 10 seconds. */
        public Builder clientTimeout(Duration timeout) {
            plan = plan.withClientTimeout(timeout);
            return this;
        }

        /**
         * Starts the nodes, which are connected to each other when this returns.
         *
         * @throws java.io.UncheckedIOException if one cannot start
         * @throws IllegalArgumentException if a setting makes no sense
         */
        public QuorateCluster start() {
            return new QuorateCluster(TestCluster.start(plan));
        }
    }

    // ---- its parts

    /** One of the nodes, from 1, whether it is up or not. */
    public TestNode node(int number) {
        return inside.node(number);
    }

    public List<TestNode> nodes() {
        return inside.nodes();
    }

    /** The network between the nodes. */
    public TestNetwork network() {
        return inside.network();
    }

    /** Where a node answers clients, such as {@code http://127.0.0.1:40001}. */
    public String url(int node) {
        return node(node).url();
    }

    /** The nodes that own a key, in their order, as many as there are replicas by default. */
    public List<TestNode> owners(String key) {
        return inside.owners(key);
    }

    /**
     * Waits until each running node sends requests to all other running nodes that it can reach. A
     * peer that was marked down is probed again within some seconds.
     *
     * @throws IllegalStateException if that takes longer than 15 seconds
     */
    public QuorateCluster awaitReady() {
        inside.awaitReady();
        return this;
    }

    /** Starts all nodes that are down, at once, and waits as {@link #awaitReady} does. */
    public void startAll() {
        inside.startAll();
    }

    /**
     * Advances the wall clocks of all nodes at once, for example past an expiry. For a moment after
     * it writes may be answered with 503: a node persists the limit of its clock before the clock
     * may reach it.
     */
    public void advance(Duration by) {
        inside.advance(by);
    }

    /**
     * A new client of all nodes, to be closed by the caller. What it does is not in {@link
     * #history}.
     */
    public QuorateClient client() {
        return QuorateClient.builder()
                .nodes(nodes().stream().map(node -> URI.create(node.url())).toList())
                .build();
    }

    // ---- a client of any node

    /** Sends to the first running node. */
    public Reply put(String key, String value) {
        return inside.anyNode().put(key, value);
    }

    /** Sends to the first running node. */
    public Reply put(String key, String value, String replicas) {
        return inside.anyNode().put(key, value, replicas);
    }

    /** Sends to the first running node. */
    public Reply get(String key) {
        return inside.anyNode().get(key);
    }

    /** Sends to the first running node. */
    public Reply get(String key, String replicas) {
        return inside.anyNode().get(key, replicas);
    }

    /** Sends to the first running node. */
    public Reply delete(String key) {
        return inside.anyNode().delete(key);
    }

    /** Sends to the first running node. */
    public Reply delete(String key, String replicas) {
        return inside.anyNode().delete(key, replicas);
    }

    // ---- what happened

    /**
     * The requests that were sent through this class and its nodes, and their answers. Requests of
     * other clients are not included.
     *
     * @throws IllegalArgumentException if two PUTs of a key had the same value
     */
    public History history() {
        return inside.history();
    }

    /**
     * Whether the history so far fulfils the promise: no acknowledged write is lost or hidden, and
     * no deleted value reappears.
     *
     * @throws IllegalArgumentException if two PUTs of a key had the same value
     */
    public Verdict verdict() {
        return Checker.check(history());
    }

    /** The seed of the network's random faults. */
    public long seed() {
        return inside.seed();
    }

    /** A text for the output of a failed test: the seed, the nodes, and the injected faults. */
    public String describe() {
        return inside.describe();
    }

    /**
     * Ends the nodes and deletes their directories.
     *
     * @throws IllegalStateException if a node has ended by itself without a disk fault
     */
    @Override
    public void close() {
        inside.close();
    }
}
