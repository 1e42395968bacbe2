package dev.quorate.testcontainers;

import com.github.dockerjava.api.DockerClient;
import com.github.dockerjava.api.model.Bind;
import com.github.dockerjava.api.model.Volume;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import org.testcontainers.DockerClientFactory;

/** Three nodes in containers, each with a volume that outlives its container. */
final class ContainerCluster implements AutoCloseable {

    private static final int NODES = 3;

    private final DockerClient docker = DockerClientFactory.instance().client();
    private final HttpClient http =
            HttpClient.newBuilder()
                    .version(HttpClient.Version.HTTP_1_1)
                    .proxy(HttpClient.Builder.NO_PROXY)
                    .build();
    private final QuorateClusterContainer cluster;
    private final String volumePrefix;

    ContainerCluster() throws IOException {
        cluster = new QuorateClusterContainer(ThisBuild.image(), NODES);
        volumePrefix = "quorate-test-" + cluster.getNetwork().getId().substring(0, 12);
        for (int node = 1; node <= NODES; node++) {
            String volume = volumePrefix + "-n" + node;
            docker.createVolumeCmd().withName(volume).exec();
            Bind bind = new Bind(volume, new Volume("/data"));
            cluster.node(node)
                    .withCreateContainerCmdModifier(
                            command -> command.getHostConfig().withBinds(bind));
        }
        start();
    }

    /** Starts three containers on the volumes, which may hold what earlier ones left. */
    void start() {
        cluster.start();
    }

    HttpResponse<String> put(int node, String key, String value, String replicas) throws Exception {
        return send(request(node, key, replicas).PUT(BodyPublishers.ofString(value)));
    }

    HttpResponse<String> get(int node, String key, String replicas) throws Exception {
        return send(request(node, key, replicas));
    }

    HttpResponse<String> delete(int node, String key, String replicas) throws Exception {
        return send(request(node, key, replicas).DELETE());
    }

    private HttpRequest.Builder request(int node, String key, String replicas) {
        URI entity = URI.create("/v0/entity?id=" + key + "&replicas=" + replicas);
        return HttpRequest.newBuilder(cluster.node(node).url().resolve(entity))
                .timeout(Duration.ofSeconds(10));
    }

    private HttpResponse<String> send(HttpRequest.Builder request) throws Exception {
        return http.send(request.build(), BodyHandlers.ofString());
    }

    /** {@code docker kill}: SIGKILL. */
    void kill(int node) {
        cluster.node(node).kill();
    }

    void pause(int node) {
        docker.pauseContainerCmd(cluster.node(node).getContainerId()).exec();
    }

    void resume(int node) {
        docker.unpauseContainerCmd(cluster.node(node).getContainerId()).exec();
    }

    void disconnect(int node) {
        docker.disconnectFromNetworkCmd()
                .withContainerId(cluster.node(node).getContainerId())
                .withNetworkId(cluster.getNetwork().getId())
                .withForce(true)
                .exec();
    }

    /** Takes the containers away, and leaves the volumes. */
    void remove() {
        cluster.stop();
    }

    @Override
    public void close() {
        remove();
        for (int node = 1; node <= NODES; node++) {
            docker.removeVolumeCmd(volumePrefix + "-n" + node).exec();
        }
    }
}
