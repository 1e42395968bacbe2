package sample;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.quorate.client.QuorateClient;
import dev.quorate.testcontainers.QuorateClusterContainer;
import org.junit.jupiter.api.Test;

/** Three nodes, one of which ends. */
class ClusterTest {

    @Test
    void aSettingOutlivesANode() {
        try (QuorateClusterContainer cluster = new QuorateClusterContainer(Images.quorate(), 3)) {
            cluster.start();
            try (QuorateClient client = cluster.client()) {
                Settings settings = new Settings(client);
                settings.set("color", "blue");
                cluster.node(1).kill();
                assertEquals("blue", settings.get("color", "red"));
            }
        }
    }
}
