package sample;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.quorate.client.QuorateClient;
import dev.quorate.testkit.QuorateCluster;
import dev.quorate.testkit.QuorateTest;
import org.junit.jupiter.api.Test;

@QuorateTest(nodes = 3)
class VisitsTest {

    @Test
    void aValueOutlivesANode(QuorateCluster cluster, QuorateClient client) {
        client.put("visits", "1");
        cluster.node(1).kill();
        assertEquals("1", client.get("visits").orElseThrow().text());
    }
}
