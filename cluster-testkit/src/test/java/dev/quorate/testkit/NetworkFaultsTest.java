package dev.quorate.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/** Messages between nodes that are lost, late, and repeated. */
@QuorateTest(nodes = 3)
class NetworkFaultsTest {

    @Test
    void aMinorityCannotAndAMajorityCan(QuorateCluster cluster) {
        cluster.network().partition(1);
        assertThat(cluster.node(1).put("key", "minority").status()).isEqualTo(504);
        assertThat(cluster.node(2).put("key", "majority").status()).isEqualTo(201);
        assertThat(cluster.node(1).get("key").status()).isEqualTo(504);
        assertThat(cluster.node(3).get("key").status()).isEqualTo(200);
        cluster.network().heal();
        cluster.awaitReady();
        Awaitility.await().until(() -> cluster.node(1).get("key").status() == 200);
        assertThat(cluster.verdict().isKept()).isTrue();
    }

    /** The question is lost: nothing happens. The answer is lost: it has happened. */
    @Test
    void eachWayIsOneOfItsOwn(QuorateCluster cluster) throws Exception {
        cluster.network().from(1).toAll().cut();
        assertThat(cluster.node(1).put("key-a", "v", "2/3").status()).isEqualTo(504);
        assertThat(NodeRequests.keysOf(cluster.node(2))).doesNotContain("key-a");
        cluster.network().heal();
        Awaitility.await().until(() -> cluster.node(1).put("warm", "v", "3/3").status() == 201);
        cluster.network().from(2).to(1).cut();
        cluster.network().from(3).to(1).cut();
        assertThat(cluster.node(1).put("key-b", "v", "2/3").status()).isEqualTo(504);
        assertThat(NodeRequests.keysOf(cluster.node(2))).contains("key-b");
        assertThat(cluster.node(2).put("key-c", "v", "2/3").status()).isEqualTo(201);
    }

    @Test
    void aBridgeSeesBothSides(QuorateCluster cluster) {
        cluster.network().bridge(2, 1);
        assertThat(cluster.node(2).put("key", "one", "3/3").status()).isEqualTo(201);
        assertThat(cluster.node(1).put("key", "two", "2/3").status()).isEqualTo(201);
        assertThat(cluster.node(1).put("key", "three", "3/3").status()).isEqualTo(504);
        assertThat(cluster.node(3).put("key", "four", "3/3").status()).isEqualTo(504);
    }

    @Test
    void whatIsLateIsWaitedForUpToADeadline(QuorateCluster cluster) {
        cluster.network().from(1).to(2).delay(Duration.ofMillis(150));
        long begun = System.nanoTime();
        assertThat(cluster.node(1).put("key", "late", "3/3").status()).isEqualTo(201);
        assertThat(Duration.ofNanos(System.nanoTime() - begun))
                .isGreaterThanOrEqualTo(Duration.ofMillis(150));
        cluster.network().from(1).to(2).delay(Duration.ofSeconds(30));
        assertThat(cluster.node(1).put("key", "too late", "3/3").status()).isEqualTo(504);
        assertThat(cluster.node(2).put("key", "in time", "3/3").status()).isEqualTo(504);
        cluster.network().from(1).to(2).heal();
        Awaitility.await().until(() -> cluster.node(1).get("key", "3/3").status() == 200);
    }

    @Test
    void whatIsLostIsNotAnswered(QuorateCluster cluster) {
        cluster.network().from(1).toAll().drop(1);
        assertThat(cluster.node(1).get("key", "2/3").status()).isEqualTo(504);
        cluster.network().everywhere().drop(0);
        Awaitility.await().until(() -> cluster.node(1).get("key", "2/3").status() == 404);
    }

    /** Some of everything: what is acknowledged stays so. */
    @Test
    @QuorateTest(settings = "request-timeout=300ms")
    void thePromiseHoldsOverALossyNetwork(QuorateCluster cluster) {
        cluster.network()
                .everywhere()
                .drop(0.05)
                .duplicate(0.5)
                .delay(Duration.ZERO, Duration.ofMillis(5));
        for (int i = 0; i < 40; i++) {
            TestNode node = cluster.node(1 + i % 3);
            node.put("key" + i % 4, "value " + i);
            cluster.node(1 + (i + 1) % 3).get("key" + i % 4);
        }
        assertThat(cluster.verdict().isKept()).as(cluster.verdict() + cluster.describe()).isTrue();
        assertThat(cluster.verdict().counts().acknowledgedWrites()).isPositive();
    }
}
