package dev.quorate.testcontainers;

import dev.quorate.client.QuorateClient;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletionException;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.testcontainers.containers.Network;
import org.testcontainers.images.builder.Transferable;
import org.testcontainers.lifecycle.Startable;
import org.testcontainers.lifecycle.Startables;
import org.testcontainers.utility.DockerImageName;

/**
 * The nodes n1, n2, ... of a cluster, each in a container, in a network of their own.
 *
 * <pre>{@code
 * try (var cluster = new QuorateClusterContainer(3)) {
 *     cluster.start();
 *     try (var client = cluster.client()) { ... }
 * }
 * }</pre>
 *
 * <p>All nodes are ready when {@code start} returns: a majority of each key's replicas answers. A
 * write to all replicas may need another attempt in the first second. Settings of a single node,
 * such as {@code withLogConsumer}, are methods of {@link #node}.
 */
public final class QuorateClusterContainer implements Startable {

    private static final int MAX_NODES = 64;

    private final Network network = Network.newNetwork();
    private final List<QuorateContainer> nodes;
    private final List<InitData> initData = new ArrayList<>();
    private boolean hasTls;
    private boolean isStarted;

    /**
     * A cluster of the image {@code quorate}.
     *
     * @param nodes 1 to 64
     */
    public QuorateClusterContainer(int nodes) {
        this(QuorateContainer.DEFAULT_IMAGE_NAME, nodes);
    }

    /**
     * A cluster.
     *
     * @param image as for {@link QuorateContainer#QuorateContainer(String)}
     * @param nodes 1 to 64
     */
    public QuorateClusterContainer(String image, int nodes) {
        this(DockerImageName.parse(image), nodes);
    }

    /**
     * A cluster.
     *
     * @param image as for {@link QuorateContainer#QuorateContainer(DockerImageName)}
     * @param nodes 1 to 64
     */
    public QuorateClusterContainer(DockerImageName image, int nodes) {
        if (nodes < 1 || nodes > MAX_NODES) {
            throw new IllegalArgumentException("A cluster has 1 to 64 nodes, not " + nodes + ".");
        }
        List<String> names = IntStream.rangeClosed(1, nodes).mapToObj(i -> "n" + i).toList();
        String topology =
                names.stream()
                        .map(each -> each + "=http://" + each + ":" + QuorateContainer.CLIENT_PORT)
                        .collect(Collectors.joining(","));
        this.nodes =
                names.stream()
                        .map(
                                each ->
                                        new QuorateContainer(image, each, topology)
                                                .withNetwork(network))
                        .toList();
    }

    /** Like {@link QuorateContainer#withOption}, for all nodes. */
    public QuorateClusterContainer withOption(String name, String value) {
        nodes.forEach(each -> each.withOption(name, value));
        return this;
    }

    /** Like {@link QuorateContainer#withToken}, for all nodes. */
    public QuorateClusterContainer withToken(String text) {
        nodes.forEach(each -> each.withToken(text));
        return this;
    }

    /**
     * Like {@link QuorateContainer#withTls}, for clients and between the nodes, which have the same
     * certificate.
     */
    public QuorateClusterContainer withTls() {
        hasTls = true;
        return this;
    }

    /** Like {@link QuorateContainer#withInitData}: written when all nodes are ready. */
    public QuorateClusterContainer withInitData(Transferable file) {
        initData.add(InitData.parse(file));
        return this;
    }

    /**
     * A node.
     *
     * @param number from 1
     * @throws IllegalArgumentException if there is none with this number
     */
    public QuorateContainer node(int number) {
        if (number < 1 || number > nodes.size()) {
            throw new IllegalArgumentException(
                    "The nodes are 1 to " + nodes.size() + ", not " + number + ".");
        }
        return nodes.get(number - 1);
    }

    /** All nodes. */
    public List<QuorateContainer> nodes() {
        return nodes;
    }

    /** The network of the nodes, for further containers, which reach {@code http://n1:8080}. */
    public Network getNetwork() {
        return network;
    }

    /** The URLs of all nodes for clients, separated by commas. */
    public String getConnectionString() {
        return nodes.stream()
                .map(QuorateContainer::getConnectionString)
                .collect(Collectors.joining(","));
    }

    /** A new client of all nodes, with their token and certificate. The caller closes it. */
    public QuorateClient client() {
        return QuorateContainer.client(nodes);
    }

    /**
     * Starts all nodes in parallel: none is ready before a majority of the others runs. If one of
     * them fails, all are stopped.
     */
    @Override
    public void start() {
        if (isStarted) {
            return;
        }
        try {
            if (hasTls && nodes.get(0).trust() == null) {
                Set<String> hosts = new LinkedHashSet<>();
                nodes.forEach(each -> hosts.addAll(each.hosts()));
                TestCertificate shared = TestCertificate.create(hosts);
                nodes.forEach(each -> each.useCertificate(shared));
            }
            Startables.deepStart(nodes).join();
            QuorateContainer.load(initData, nodes);
            isStarted = true;
        } catch (CompletionException e) {
            throw e.getCause() instanceof RuntimeException cause ? cause : e;
        } finally {
            if (!isStarted) {
                stop();
            }
        }
    }

    /** Removes the containers with their data, and the network. */
    @Override
    public void stop() {
        isStarted = false;
        nodes.parallelStream().forEach(QuorateContainer::stop);
        network.close();
    }
}
