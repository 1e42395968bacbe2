package dev.quorate.example;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.quorate.testkit.QuorateCluster;
import dev.quorate.testkit.QuorateTest;
import dev.quorate.testkit.cluster.TestNode;
import java.io.IOException;
import java.net.URI;
import org.junit.jupiter.api.Test;

/** A program of one's own, while its cluster breaks under it. */
@QuorateTest(nodes = 3)
class CartsTest {

    private static Carts carts(QuorateCluster cluster) {
        return new Carts(cluster.nodes().stream().map(TestNode::url).map(URI::create).toList());
    }

    @Test
    void aCartOutlivesANode(QuorateCluster cluster) throws Exception {
        Carts carts = carts(cluster);
        carts.save(1, "bread");
        cluster.node(1).kill();
        assertThat(carts.find(1)).contains("bread");
        assertThat(carts.find(2)).isEmpty();
        carts.save(1, "bread and butter");
        assertThat(carts.find(1)).contains("bread and butter");
    }

    @Test
    void aNodeThatIsCutOffIsPassedOver(QuorateCluster cluster) throws Exception {
        Carts carts = carts(cluster);
        carts.save(1, "bread");
        cluster.network().partition(1);
        assertThat(cluster.node(1).get("cart-1").status()).isEqualTo(504);
        assertThat(carts.find(1)).contains("bread");
    }

    /** Better an error than an empty cart. */
    @Test
    void anUnknownEntryIsNeverReportedAbsent(QuorateCluster cluster) throws Exception {
        Carts carts = carts(cluster);
        carts.save(1, "bread");
        cluster.node(2).kill();
        cluster.node(3).kill();
        assertThatThrownBy(() -> carts.find(1)).isInstanceOf(IOException.class);
        cluster.startAll();
        assertThat(carts.find(1)).contains("bread");
    }

    /** A paused node costs the program one timeout. */
    @Test
    void aPausedNodeIsSkipped(QuorateCluster cluster) throws Exception {
        Carts carts = carts(cluster);
        carts.save(1, "bread");
        cluster.node(1).pause();
        assertThat(carts.find(1)).contains("bread");
    }
}
