package sample;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.quorate.client.QuorateClient;
import dev.quorate.testkit.QuorateCluster;
import dev.quorate.testkit.QuorateTest;
import org.junit.jupiter.api.Test;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

@QuorateTest(nodes = 3)
class VisitsTest {

    private static final Logger LOG = LoggerFactory.getLogger(VisitsTest.class);

    @Test
    void aValueOutlivesANode(QuorateCluster cluster, QuorateClient client) {
        client.put("visits", "1");
        // The fluent interface of SLF4J 2, which nodes use.
        LOG.atInfo().addKeyValue("key", "visits").log("One node is killed");
        cluster.node(1).kill();
        assertEquals("1", client.get("visits").orElseThrow().text());
    }
}
