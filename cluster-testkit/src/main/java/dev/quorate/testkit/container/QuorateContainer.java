package dev.quorate.testkit.container;

import dev.quorate.client.QuorateClient;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.testcontainers.containers.GenericContainer;
import org.testcontainers.containers.Network;
import org.testcontainers.containers.wait.strategy.Wait;
import org.testcontainers.lifecycle.Startables;
import org.testcontainers.utility.DockerImageName;

/**
 * A node in a container. It is ready when {@code start} returns.
 *
 * <pre>{@code
 * try (var node = new QuorateContainer(DockerImageName.parse("quorate"))) {
 *     node.start();
 *     try (var client = QuorateContainer.client(List.of(node))) { ... }
 * }
 * }</pre>
 *
 * <p>The image is that of the project's {@code Dockerfile}: {@code docker build -t quorate .} Data
 * is in an anonymous volume, which is deleted with the container. The caller must add
 * Testcontainers 2 to the class path.
 */
public final class QuorateContainer extends GenericContainer<QuorateContainer> {

    private static final int CLIENT_PORT = 8080;
    private static final String KNOWN_HOSTS = "QUORATE_KNOWN_HOSTS";

    /** A cluster of one node. */
    public QuorateContainer(DockerImageName image) {
        this(image, "n1", "n1=http://n1:" + CLIENT_PORT);
    }

    private QuorateContainer(DockerImageName image, String name, String topology) {
        super(image);
        addExposedPort(CLIENT_PORT);
        withNetworkAliases(name);
        withEnv("QUORATE_NAME", name);
        withEnv("QUORATE_TOPOLOGY", topology);
        withEnv("QUORATE_SECRET", "a cluster of a test");
        withEnv("QUORATE_INSECURE", "true"); // on a port of this machine, for one test
        waitingFor(
                Wait.forHttp("/readyz")
                        .forPort(CLIENT_PORT)
                        .withStartupTimeout(Duration.ofSeconds(90)));
    }

    /**
     * The nodes of a cluster, not started yet. None is ready before the others run, so {@link
     * #startAll} starts them together.
     *
     * @param network the caller closes it after the nodes
     * @param nodes 1 to 64
     */
    public static List<QuorateContainer> cluster(
            DockerImageName image, Network network, int nodes) {
        String topology =
                IntStream.rangeClosed(1, nodes)
                        .mapToObj(i -> "n" + i + "=http://n" + i + ":" + CLIENT_PORT)
                        .collect(Collectors.joining(","));
        return IntStream.rangeClosed(1, nodes)
                .mapToObj(i -> new QuorateContainer(image, "n" + i, topology).withNetwork(network))
                .toList();
    }

    /** Permits the host names by which tests and other containers reach the node. */
    @Override
    protected void configure() {
        if (!getEnvMap().containsKey(KNOWN_HOSTS)) {
            List<String> names = new ArrayList<>(getNetworkAliases());
            names.add(getHost());
            withEnv(KNOWN_HOSTS, String.join(",", names));
        }
    }

    /** Starts nodes and returns when they are ready. */
    public static void startAll(List<QuorateContainer> nodes) {
        Startables.deepStart(nodes).join();
    }

    /** The URL for clients, such as {@code http://localhost:32768}. */
    public URI url() {
        return URI.create("http://" + getHost() + ":" + getMappedPort(CLIENT_PORT));
    }

    /** A new client of these nodes. The caller closes it. */
    public static QuorateClient client(List<QuorateContainer> nodes) {
        return QuorateClient.builder()
                .nodes(nodes.stream().map(QuorateContainer::url).toList())
                .build();
    }
}
