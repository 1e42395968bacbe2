package sample;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.quorate.client.QuorateClient;
import dev.quorate.client.UnavailableException;
import dev.quorate.testkit.QuorateCluster;
import dev.quorate.testkit.QuorateTest;
import org.junit.jupiter.api.Test;

/** A program of one's own, while its cluster breaks under it. */
@QuorateTest(nodes = 3)
class CartsTest {

    @Test
    void aCartOutlivesANode(QuorateCluster cluster, QuorateClient client) {
        Carts carts = new Carts(client);
        carts.save(1, "bread");
        cluster.node(1).kill();
        assertThat(carts.find(1)).contains("bread");
        assertThat(carts.find(2)).isEmpty();
        carts.save(1, "bread and butter");
        assertThat(carts.find(1)).contains("bread and butter");
    }

    @Test
    void aNodeThatIsCutOffIsPassedOver(QuorateCluster cluster, QuorateClient client) {
        Carts carts = new Carts(client);
        carts.save(1, "bread");
        cluster.network().partition(1);
        assertThat(cluster.node(1).get("cart-1").status()).isEqualTo(504);
        assertThat(carts.find(1)).contains("bread");
    }

    @Test
    void whatTwoAddAtOnceIsThereTwice(QuorateCluster cluster, QuorateClient client)
            throws Exception {
        Carts carts = new Carts(client);
        Thread other = Thread.ofVirtual().start(() -> carts.add(1, "butter"));
        carts.add(1, "bread");
        other.join();
        assertThat(carts.find(1).orElseThrow().lines())
                .containsExactlyInAnyOrder("bread", "butter");
    }

    /** Better an error than an empty cart. */
    @Test
    void anUnknownEntryIsNeverReportedAbsent(QuorateCluster cluster, QuorateClient client) {
        Carts carts = new Carts(client);
        carts.save(1, "bread");
        cluster.node(2).kill();
        cluster.node(3).kill();
        assertThatThrownBy(() -> carts.find(1)).isInstanceOf(UnavailableException.class);
        cluster.startAll();
        assertThat(carts.find(1)).contains("bread");
    }

    /** A paused node costs the program one timeout. */
    @Test
    void aPausedNodeIsSkipped(QuorateCluster cluster, QuorateClient client) {
        Carts carts = new Carts(client);
        carts.save(1, "bread");
        cluster.node(1).pause();
        assertThat(carts.find(1)).contains("bread");
    }
}
