package dev.quorate.testkit.live;

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
        ContainerCluster.requireDocker();
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
        try (EntityClient n1 = cluster.client(1);
                EntityClient n2 = cluster.client(2)) {
            // The node that was ready first may not have heard yet that the last one is.
            await().until(() -> n1.put("a", "before", "3/3").statusCode() == 201);
            fault.strike(cluster);
            try {
                assertThat(n2.get("a", "1/3").body()).isEqualTo("before");
                assertThat(n2.get("a", "2/3").body()).isEqualTo("before");
                assertThat(n2.get("a", "3/3").statusCode()).isEqualTo(504);

                assertThat(n1.put("a", "one", "1/3").statusCode()).isEqualTo(201);
                assertThat(n1.put("a", "two", "2/3").statusCode()).isEqualTo(201);
                assertThat(n2.get("a", "2/3").body()).isEqualTo("two");
                assertThat(n1.put("b", "three", "3/3").statusCode()).isEqualTo(504);

                assertThat(n1.delete("a", "2/3").statusCode()).isEqualTo(202);
                assertThat(n2.get("a", "2/3").statusCode()).isEqualTo(404);
                assertThat(n1.delete("a", "3/3").statusCode()).isEqualTo(504);
            } finally {
                fault.heal(cluster);
            }
            if (fault == Fault.PAUSED) {
                await().atMost(Duration.ofSeconds(30))
                        .until(() -> n1.put("c", "healed", "3/3").statusCode() == 201);
            }
        }
    }

    @Test
    void whatWasAcknowledgedOutlivesDockerKillOfAllThree() throws Exception {
        int keys = 200;
        try (EntityClient n1 = cluster.client(1)) {
            for (int i = 0; i < keys; i++) {
                assertThat(n1.put("k" + i, "v" + i, "2/3").statusCode()).isEqualTo(201);
            }
        }
        Stream.of(1, 2, 3).parallel().forEach(cluster::kill);
        cluster.remove();
        cluster.start();
        try (EntityClient n2 = cluster.client(2)) {
            for (int i = 0; i < keys; i++) {
                assertThat(n2.get("k" + i, "2/3").body()).isEqualTo("v" + i);
            }
        }
    }
}
