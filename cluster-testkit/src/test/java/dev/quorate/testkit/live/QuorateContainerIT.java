package dev.quorate.testkit.live;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.quorate.client.Condition;
import dev.quorate.client.Key;
import dev.quorate.client.QuorateClient;
import dev.quorate.client.ReadOptions;
import dev.quorate.client.UnavailableException;
import dev.quorate.client.WriteOptions;
import dev.quorate.client.WriteResult;
import dev.quorate.testkit.container.QuorateContainer;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.testcontainers.containers.Network;
import org.testcontainers.utility.DockerImageName;

/** Containers as a user's tests have them, and the client before them. */
final class QuorateContainerIT {

    private static final Key KEY = Key.of("k");

    @BeforeAll
    static void docker() {
        ContainerCluster.requireDocker();
    }

    private static DockerImageName image() throws Exception {
        return DockerImageName.parse(ContainerCluster.imageOfThisBuild().get());
    }

    @Test
    void oneNode() throws Exception {
        try (QuorateContainer node = new QuorateContainer(image())) {
            node.start();
            try (QuorateClient client = QuorateContainer.client(List.of(node))) {
                client.learnRing();
                client.put("k", "v");
                assertThat(client.get("k").orElseThrow().text()).isEqualTo("v");
                assertThat(
                                client.putIf(
                                        KEY,
                                        new byte[0],
                                        Condition.ifAbsent(),
                                        WriteOptions.DEFAULT))
                        .isInstanceOf(WriteResult.Unmet.class);
            }
        }
    }

    @Test
    void threeNodesOfWhichOneIsStopped() throws Exception {
        try (Network network = Network.newNetwork()) {
            List<QuorateContainer> nodes = QuorateContainer.cluster(image(), network, 3);
            try {
                QuorateContainer.startAll(nodes);
                try (QuorateClient client = QuorateContainer.client(nodes)) {
                    client.learnRing();
                    WriteOptions all = WriteOptions.DEFAULT.replicas(3, 3).repeatable();
                    // The node that was ready first may not have heard yet that the last one is.
                    await().atMost(Duration.ofSeconds(30))
                            .ignoreException(UnavailableException.class)
                            .until(() -> client.put(KEY, new byte[3], all) != null);
                    nodes.getFirst().stop();
                    assertThat(client.get(KEY, ReadOptions.DEFAULT)).isPresent();
                }
            } finally {
                nodes.forEach(QuorateContainer::stop);
            }
        }
    }
}
