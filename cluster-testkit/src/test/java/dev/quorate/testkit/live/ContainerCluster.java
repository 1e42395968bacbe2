package dev.quorate.testkit.live;

import static org.assertj.core.api.Assertions.fail;

import com.github.dockerjava.api.DockerClient;
import com.github.dockerjava.api.model.Bind;
import com.github.dockerjava.api.model.Volume;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Assumptions;
import org.testcontainers.DockerClientFactory;
import org.testcontainers.containers.GenericContainer;
import org.testcontainers.containers.Network;
import org.testcontainers.containers.wait.strategy.Wait;
import org.testcontainers.images.builder.ImageFromDockerfile;
import org.testcontainers.lifecycle.Startables;

/** Three nodes in three containers on a network of their own, each with a volume. */
final class ContainerCluster implements AutoCloseable {

    static final int NODES = 3;
    private static final int CLIENT_PORT = 8080;
    private static final String SECRET = "containers-of-a-test";

    private static final Path ROOT = Path.of(System.getProperty("quorate.root", "."));

    private final DockerClient docker = DockerClientFactory.instance().client();
    private final ImageFromDockerfile image;
    private final Network network = Network.newNetwork();
    private final String volumePrefix = "quorate-test-" + network.getId().substring(0, 12);
    private final List<GenericContainer<?>> nodes = new ArrayList<>();

    /** Skips the test, and says so, or fails it if containers are required. */
    static void requireDocker() {
        if (DockerClientFactory.instance().isDockerAvailable()) {
            return;
        }
        if (Boolean.getBoolean("containers.required")) {
            fail("containers are required, but no Docker engine answers");
        }
        System.out.println("SKIPPED: no Docker engine answers, so container tests do not run");
        Assumptions.abort("no Docker engine answers");
    }

    ContainerCluster() throws IOException {
        image = imageOfThisBuild();
        for (int node = 1; node <= NODES; node++) {
            docker.createVolumeCmd().withName(volume(node)).exec();
        }
        start();
    }

    /**
     * The image that {@code docker build} makes, with the jars of this build in place of those that
     * its first stage would build: everything from the second {@code FROM} on is the Dockerfile's.
     */
    static ImageFromDockerfile imageOfThisBuild() throws IOException {
        String dockerfile = Files.readString(ROOT.resolve("Dockerfile"));
        String runtime = dockerfile.substring(dockerfile.lastIndexOf("\nFROM ") + 1);
        return new ImageFromDockerfile("quorate-test", false)
                .withFileFromString(
                        "Dockerfile",
                        runtime.replace("--from=build /build/", "")
                                .replace("cluster-cli/target/dist/lib", "lib"))
                .withFileFromPath(".mvn", ROOT.resolve(".mvn"))
                .withFileFromPath("lib", ROOT.resolve("cluster-cli/target/dist/lib"))
                .withFileFromPath("quorate", ROOT.resolve("quorate"));
    }

    private String volume(int node) {
        return volumePrefix + "-n" + node;
    }

    /** Starts three containers on the volumes, which may hold what earlier ones left. */
    void start() {
        for (int node = 1; node <= NODES; node++) {
            String name = "n" + node;
            Bind bind = new Bind(volume(node), new Volume("/data"));
            nodes.add(
                    new GenericContainer<>(image)
                            .withNetwork(network)
                            .withNetworkAliases(name)
                            .withExposedPorts(CLIENT_PORT)
                            .withEnv("QUORATE_NAME", name)
                            .withEnv(
                                    "QUORATE_TOPOLOGY",
                                    "n1=http://n1:8080,n2=http://n2:8080,n3=http://n3:8080")
                            .withEnv("QUORATE_SECRET", SECRET)
                            .withEnv("QUORATE_INSECURE", "true")
                            .withCreateContainerCmdModifier(
                                    command -> command.getHostConfig().withBinds(bind))
                            .waitingFor(
                                    Wait.forHttp("/readyz")
                                            .forPort(CLIENT_PORT)
                                            .withStartupTimeout(Duration.ofSeconds(90))));
        }
        Startables.deepStart(nodes).join(); // at once: none is ready before the others are there
    }

    EntityClient client(int node) {
        GenericContainer<?> container = nodes.get(node - 1);
        return new EntityClient(
                "http://" + container.getHost() + ":" + container.getMappedPort(CLIENT_PORT));
    }

    /** {@code docker kill}: SIGKILL. */
    void kill(int node) {
        docker.killContainerCmd(nodes.get(node - 1).getContainerId()).exec();
    }

    void pause(int node) {
        docker.pauseContainerCmd(nodes.get(node - 1).getContainerId()).exec();
    }

    void resume(int node) {
        docker.unpauseContainerCmd(nodes.get(node - 1).getContainerId()).exec();
    }

    void disconnect(int node) {
        docker.disconnectFromNetworkCmd()
                .withContainerId(nodes.get(node - 1).getContainerId())
                .withNetworkId(network.getId())
                .withForce(true)
                .exec();
    }

    /** Takes the containers away, and leaves the volumes. */
    void remove() {
        nodes.forEach(GenericContainer::stop);
        nodes.clear();
    }

    /** The end of a node's log, for a failure's message. */
    String log(int node) {
        return nodes.get(node - 1).getLogs();
    }

    @Override
    public void close() {
        remove();
        for (int node = 1; node <= NODES; node++) {
            docker.removeVolumeCmd(volume(node)).exec();
        }
        network.close();
    }
}
