package dev.quorate.testcontainers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.time.Duration;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Three containers: each quorum with one of them killed, paused, and cut off from the network. */
final class ContainerClusterIT {

    /** What happens to n3. */
    enum Fault {
        KILLED {
            @Override
            void strike(ContainerCluster cluster) {
                cluster.kill(3);
            }
        },
        PAUSED {
            @Override
            void strike(ContainerCluster cluster) {
                cluster.pause(3);
            }

            @Override
            void heal(ContainerCluster cluster) {
                cluster.resume(3);
            }
        },
        DISCONNECTED {
            @Override
            void strike(ContainerCluster cluster) {
                cluster.disconnect(3);
            }
        };

        abstract void strike(ContainerCluster cluster);

        void heal(ContainerCluster cluster) {}
    }

    private ContainerCluster cluster;

    @BeforeAll
    static void docker() {
        ThisBuild.requireDocker();
    }

    @BeforeEach
    void start() throws IOException {
        cluster = new ContainerCluster();
    }

    @AfterEach
    void stop() {
        cluster.close();
    }

    @ParameterizedTest
    @EnumSource
    void everyQuorumWithoutItsThirdNode(Fault fault) throws Exception {
        // The node that was ready first may not have heard yet that the last one is.
        await().until(() -> cluster.put(1, "a", "before", "3/3").statusCode() == 201);
        fault.strike(cluster);
        try {
            assertThat(cluster.get(2, "a", "1/3").body()).isEqualTo("before");
            assertThat(cluster.get(2, "a", "2/3").body()).isEqualTo("before");
            assertThat(cluster.get(2, "a", "3/3").statusCode()).isEqualTo(504);

            assertThat(cluster.put(1, "a", "one", "1/3").statusCode()).isEqualTo(201);
            assertThat(cluster.put(1, "a", "two", "2/3").statusCode()).isEqualTo(201);
            assertThat(cluster.get(2, "a", "2/3").body()).isEqualTo("two");
            assertThat(cluster.put(1, "b", "three", "3/3").statusCode()).isEqualTo(504);

            assertThat(cluster.delete(1, "a", "2/3").statusCode()).isEqualTo(202);
            assertThat(cluster.get(2, "a", "2/3").statusCode()).isEqualTo(404);
            assertThat(cluster.delete(1, "a", "3/3").statusCode()).isEqualTo(504);
        } finally {
            fault.heal(cluster);
        }
        if (fault == Fault.PAUSED) {
            await().atMost(Duration.ofSeconds(30))
                    .until(() -> cluster.put(1, "c", "healed", "3/3").statusCode() == 201);
        }
    }

    @Test
    void whatWasAcknowledgedOutlivesDockerKillOfAllThree() throws Exception {
        int keys = 200;
        for (int i = 0; i < keys; i++) {
            assertThat(cluster.put(1, "k" + i, "v" + i, "2/3").statusCode()).isEqualTo(201);
        }
        Stream.of(1, 2, 3).parallel().forEach(cluster::kill);
        cluster.remove();
        cluster.start();
        for (int i = 0; i < keys; i++) {
            assertThat(cluster.get(2, "k" + i, "2/3").body()).isEqualTo("v" + i);
        }
    }
}
