package dev.quorate.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Clocks that are wrong. */
@QuorateTest(nodes = 3)
class ClockFaultsTest {

    @Test
    void aNodeThatIsAnHourBehindTakesNoPartUntilItIsSetRight(QuorateCluster cluster) {
        TestNode wrong = cluster.node(1);
        wrong.clock().setAhead(Duration.ofHours(-1));
        assertThat(wrong.clock().ahead()).isEqualTo(Duration.ofHours(-1));
        Awaitility.await().until(() -> wrong.put("key", "x" + System.nanoTime()).status() == 504);
        Awaitility.await()
                .until(() -> cluster.node(2).put("key", "y" + System.nanoTime()).status() == 201);
        assertThat(cluster.node(2).get("key").status()).isEqualTo(200);
        wrong.clock().step(Duration.ofHours(1));
        Awaitility.await().until(() -> wrong.put("key", "z" + System.nanoTime()).status() == 201);
        assertThat(cluster.verdict().isKept()).as(cluster.verdict().toString()).isTrue();
    }

    @Test
    void aNodeThatIsAnHourAheadIsRefusedByTheOthers(QuorateCluster cluster) {
        TestNode wrong = cluster.node(3);
        wrong.clock().setAhead(Duration.ofHours(1));
        Awaitility.await().until(() -> wrong.put("key", "x" + System.nanoTime()).status() == 504);
        assertThat(cluster.node(1).put("key", "y").status()).isEqualTo(201);
        assertThat(cluster.node(2).get("key").text()).isEqualTo("y");
        Awaitility.await().until(() -> cluster.describe().contains("REFUSED"));
        assertThat(cluster.describe()).contains("clock PT1H ahead");
    }

    /** Also a little more than wall clocks may differ. */
    @ParameterizedTest
    @ValueSource(ints = {400, 600})
    void aLittleIsFollowed(int millis, QuorateCluster cluster) {
        cluster.node(1).clock().setAhead(Duration.ofMillis(millis));
        assertThat(cluster.node(1).put("key", "one", "3/3").status()).isEqualTo(201);
        assertThat(cluster.node(2).put("key", "two", "3/3").status()).isEqualTo(201);
        assertThat(cluster.node(3).get("key", "3/3").text()).isEqualTo("two");
        assertThat(cluster.verdict().isKept()).isTrue();
        assertThatThrownBy(() -> cluster.network().from(1).to(4)).hasMessageContaining("1 to 3");
    }
}
