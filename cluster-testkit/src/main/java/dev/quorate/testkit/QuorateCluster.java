package dev.quorate.testkit;

import dev.quorate.testkit.cluster.ClusterPlan;
import dev.quorate.testkit.cluster.Reply;
import dev.quorate.testkit.cluster.RunningCluster;
import dev.quorate.testkit.cluster.TestNetwork;
import dev.quorate.testkit.cluster.TestNode;
import dev.quorate.testkit.history.Checker;
import dev.quorate.testkit.history.History;
import dev.quorate.testkit.history.Verdict;
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

    private final RunningCluster inside;

    private QuorateCluster(RunningCluster inside) {
        this.inside = inside;
    }

    /** Starts so many nodes, which know each other when this returns. */
    public static QuorateCluster start(int nodes) {
        return builder().nodes(nodes).start();
    }

    /** Three nodes with a production node's settings, but for the sizes of their files. */
    public static Builder builder() {
        return new Builder();
    }

    /** How a cluster is to be. */
    public static final class Builder {
        private ClusterPlan plan = ClusterPlan.defaults();

        private Builder() {}

        /** From 1 to 64. The default is 3. */
        public Builder nodes(int count) {
            plan = plan.withNodes(count);
            return this;
        }

        /**
         * An option of every node, as on its command line, without the dashes: {@code
         * setting("request-timeout", "300")}. {@code ./quorate node --help} lists them.
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
         * From which comes what the network does by chance. The default is the system property
         * {@code quorate.seed}, or else a new one, which {@link #describe} tells.
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
         * Starts the nodes, which know each other when this returns.
         *
         * @throws java.io.UncheckedIOException if one cannot start
         * @throws IllegalArgumentException if a setting makes no sense
         */
        public QuorateCluster start() {
            return new QuorateCluster(RunningCluster.start(plan));
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

    /** What lies between the nodes. */
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
     * Waits until each node that runs asks all the others that run and that the network lets it
     * reach. A node that was given up for dead is asked again some seconds later at most.
     *
     * @throws IllegalStateException if that does not come to pass within 15 seconds
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
     * Moves the wall clocks of all nodes on at once, so that what expires has expired. Right
     * afterwards writes may be answered 503 for a moment: a node writes down how far its clock may
     * go before it goes there.
     */
    public void advance(Duration by) {
        inside.advance(by);
    }

    // ---- a client of any node

    /** Asks the first node that runs. */
    public Reply put(String key, String value) {
        return inside.anyNode().put(key, value);
    }

    /** Asks the first node that runs. */
    public Reply put(String key, String value, String replicas) {
        return inside.anyNode().put(key, value, replicas);
    }

    /** Asks the first node that runs. */
    public Reply get(String key) {
        return inside.anyNode().get(key);
    }

    /** Asks the first node that runs. */
    public Reply get(String key, String replicas) {
        return inside.anyNode().get(key, replicas);
    }

    /** Asks the first node that runs. */
    public Reply delete(String key) {
        return inside.anyNode().delete(key);
    }

    /** Asks the first node that runs. */
    public Reply delete(String key, String replicas) {
        return inside.anyNode().delete(key, replicas);
    }

    // ---- what happened

    /**
     * What has been asked through this cluster and its nodes, and answered. What other clients did
     * is not in it.
     *
     * @throws IllegalArgumentException if two PUTs of a key had the same value
     */
    public History history() {
        return inside.history();
    }

    /**
     * Whether the cluster has kept its promise so far: nothing acknowledged lost or hidden, nothing
     * deleted come back.
     *
     * @throws IllegalArgumentException if two PUTs of a key had the same value
     */
    public Verdict verdict() {
        return Checker.check(history());
    }

    /** From which comes what the network does by chance. */
    public long seed() {
        return inside.seed();
    }

    /** For a person whose test has failed: the seed, the nodes, and what was done to them. */
    public String describe() {
        return inside.describe();
    }

    /**
     * Ends the nodes and deletes their directories.
     *
     * @throws IllegalStateException if a node has ended itself, and nothing that was done to its
     *     disk is the reason
     */
    @Override
    public void close() {
        inside.close();
    }
}
