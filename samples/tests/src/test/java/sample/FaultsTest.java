package sample;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.quorate.testkit.QuorateCluster;
import dev.quorate.testkit.QuorateTest;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** What an embedded cluster can be made to go through, in a few lines each. */
class FaultsTest {

    @Test
    void oneOfThreeIsKilled() {
        try (QuorateCluster cluster = QuorateCluster.start(3)) {
            assertThat(cluster.put("k", "v", "3/3").status()).isEqualTo(201);
            cluster.node(1).kill();
            assertThat(cluster.node(2).get("k", "2/3").text()).isEqualTo("v");
            assertThat(cluster.node(2).get("k", "3/3").status()).isEqualTo(504);
            cluster.node(1).start();
            cluster.awaitReady();
            assertThat(cluster.node(1).get("k", "3/3").text()).isEqualTo("v");
        }
    }

    @Test
    @QuorateTest(nodes = 5)
    void aMinorityCannotDoAnything(QuorateCluster cluster) {
        cluster.network().partition(1, 2);
        assertThat(cluster.node(1).put("k", "minority", "3/5").status()).isEqualTo(504);
        assertThat(cluster.node(3).put("k", "majority", "3/5").status()).isEqualTo(201);
        cluster.network().heal();
        await().until(() -> cluster.node(1).get("k", "3/5").status() == 200);
    }

    @Test
    @QuorateTest
    void aClockIsAnHourWrong(QuorateCluster cluster) {
        cluster.node(1).clock().setAhead(Duration.ofHours(-1));
        assertThat(cluster.node(2).put("k", "v").status()).isEqualTo(201);
        assertThat(cluster.node(3).get("k").text()).isEqualTo("v");
        await().until(() -> cluster.node(1).get("k").status() == 504);
        cluster.node(1).clock().setAhead(Duration.ZERO);
        await().until(() -> cluster.node(1).get("k").status() == 200);
    }

    @Test
    @QuorateTest(nodes = 1)
    void theDiskIsFull(QuorateCluster cluster) {
        cluster.put("k", "v");
        cluster.node(1).disk().fillUp();
        await().until(() -> cluster.put("more", "x").status() == 503);
        assertThat(cluster.get("k").text()).isEqualTo("v");
        cluster.node(1).disk().free();
        await().until(() -> cluster.put("more", "x").status() == 201);
    }

    @Test
    @QuorateTest
    void thePowerFailsEverywhere(QuorateCluster cluster) {
        cluster.put("k", "v");
        cluster.nodes().forEach(node -> node.losePower());
        cluster.startAll();
        assertThat(cluster.get("k").text()).isEqualTo("v");
    }

    /** What was asked through the cluster is held against what it promises. */
    @Test
    @QuorateTest(settings = "request-timeout=300ms")
    void noAcknowledgedWriteIsLostOverALossyNetwork(QuorateCluster cluster) {
        cluster.network().everywhere().drop(0.05).delay(Duration.ZERO, Duration.ofMillis(5));
        for (int i = 0; i < 15; i++) {
            cluster.node(1 + i % 3).put("k", "value " + i);
            cluster.node(1 + (i + 1) % 3).get("k");
        }
        assertThat(cluster.verdict().isKept()).as(cluster.verdict().toString()).isTrue();
    }
}
