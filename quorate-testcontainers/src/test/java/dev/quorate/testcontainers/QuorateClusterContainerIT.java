package dev.quorate.testcontainers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.github.dockerjava.api.exception.NotFoundException;
import dev.quorate.client.Key;
import dev.quorate.client.QuorateClient;
import dev.quorate.client.UnavailableException;
import dev.quorate.client.WriteOptions;
import java.time.Duration;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.testcontainers.DockerClientFactory;
import org.testcontainers.images.builder.Transferable;

/** A cluster in containers, as a user's tests have it. */
final class QuorateClusterContainerIT {

    private static final Key KEY = Key.of("k");

    @BeforeAll
    static void docker() {
        ThisBuild.requireDocker();
    }

    @Test
    void threeNodesOfWhichOneIsKilled() throws Exception {
        String lines = "{\"op\":\"put\",\"key\":\"a\",\"value\":\"1\"}\n";
        String network;
        try (QuorateClusterContainer cluster =
                new QuorateClusterContainer(ThisBuild.image(), 3)
                        .withTls()
                        .withToken("test.secret")
                        .withOption("request-timeout", "800ms")
                        .withInitData(Transferable.of(lines))) {
            cluster.start();
            network = cluster.getNetwork().getId();
            assertThat(cluster.getConnectionString())
                    .matches("(https://[^/:,]+:[0-9]+,){2}https://[^/:,]+:[0-9]+");
            try (QuorateClient client = cluster.client()) {
                client.learnRing();
                assertThat(client.get("a").orElseThrow().text()).isEqualTo("1");
                WriteOptions all = WriteOptions.DEFAULT.replicas(3, 3).repeatable();
                // The node that was ready first may not have heard yet that the last one is.
                await().atMost(Duration.ofSeconds(30))
                        .ignoreException(UnavailableException.class)
                        .until(() -> client.put(KEY, new byte[3], all) != null);
                cluster.node(1).kill();
                assertThat(client.get("k")).isPresent();
                assertThat(client.get("a").orElseThrow().text()).isEqualTo("1");
                client.put("a", "2");
            }
        }
        assertThatThrownBy(
                        () ->
                                DockerClientFactory.instance()
                                        .client()
                                        .inspectNetworkCmd()
                                        .withNetworkId(network)
                                        .exec())
                .isInstanceOf(NotFoundException.class);
    }

    @Test
    void aClusterThatDoesNotStartIsRemoved() throws Exception {
        try (QuorateClusterContainer cluster =
                new QuorateClusterContainer(ThisBuild.image(), 2)
                        .withOption("request-timeout", "soon")) {
            assertThatThrownBy(cluster::start).hasStackTraceContaining("ended");
            assertThat(cluster.node(1).getContainerId()).isNull();
            assertThat(cluster.node(2).getContainerId()).isNull();
        }
    }
}
