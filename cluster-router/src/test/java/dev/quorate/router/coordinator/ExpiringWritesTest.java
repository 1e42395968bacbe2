package dev.quorate.router.coordinator;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import dev.quorate.router.coordinator.SimulatedCluster.Condition;
import dev.quorate.router.coordinator.SimulatedCluster.Node;
import dev.quorate.router.coordinator.operation.NewValue;
import dev.quorate.router.coordinator.operation.Outcome;
import dev.quorate.router.coordinator.range.ScanScope;
import dev.quorate.router.coordinator.range.ScanStream;
import dev.quorate.router.quorum.QuorumSpec;
import dev.quorate.storage.Entry;
import dev.quorate.storage.Lookup;
import dev.quorate.storage.Timestamp;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Every replica agrees on the moment at which a value expires, and nothing older comes back. */
class ExpiringWritesTest {

    private static final byte[] KEY = "key".getBytes(US_ASCII);
    private static final QuorumSpec TWO_OF_THREE = new QuorumSpec(2, 3);
    private static final QuorumSpec ALL = new QuorumSpec(3, 3);
    private static final Duration MINUTE = Duration.ofMinutes(1);

    private final SimulatedCluster cluster = new SimulatedCluster(3);
    private final Node n1 = cluster.nodes.get(0);
    private final Node n2 = cluster.nodes.get(1);
    private final Node n3 = cluster.nodes.get(2);

    private static Outcome put(
            Node node,
            String value,
            @Nullable Duration timeToLive,
            @Nullable Timestamp version,
            QuorumSpec spec) {
        Outcomes outcomes = new Outcomes();
        node.coordinator.write(
                KEY,
                new NewValue(value.getBytes(US_ASCII), timeToLive, "text/brief"),
                version,
                spec,
                false,
                outcomes);
        return outcomes.only();
    }

    private static Outcome read(Node node, QuorumSpec spec) {
        Outcomes outcomes = new Outcomes();
        node.coordinator.read(KEY, spec, outcomes);
        return outcomes.only();
    }

    private static Entry held(Node node) {
        return ((Lookup.Found) node.store.lookup(KEY)).entry();
    }

    @Test
    void theExpiryIsTheSameOnAllReplicasWhateverTheirClocks() {
        n2.skewMillis = 200;
        n3.skewMillis = -200;
        assertThat(put(n1, "v", MINUTE, null, ALL)).isInstanceOf(Outcome.Written.class);
        Entry entry = held(n1);
        assertThat(entry.expiresAtMillis()).isEqualTo(entry.timestamp().wallMillis() + 60_000);
        assertThat(held(n2)).isEqualTo(entry);
        assertThat(held(n3)).isEqualTo(entry);

        cluster.time.advance(MINUTE.minusSeconds(1));
        assertThat(read(n3, ALL)).isInstanceOf(Outcome.Found.class);
        cluster.time.advance(Duration.ofSeconds(2));
        for (Node node : cluster.nodes) {
            assertThat(read(node, ALL)).isEqualTo(new Outcome.Missing(entry.timestamp()));
        }
    }

    @Test
    void anEntryThatAReplicaMissedDoesNotComeBackWhenTheNewerOneExpires() {
        put(n1, "older", null, null, ALL);
        n3.condition = Condition.DOWN;
        put(n1, "newer", MINUTE, null, TWO_OF_THREE);
        n3.condition = Condition.UP;
        cluster.time.advance(Duration.ofMinutes(2));
        assertThat(read(n3, ALL)).isInstanceOf(Outcome.Missing.class);
    }

    @Test
    void sentAgainWithItsVersionItExpiresAtTheSameMoment() {
        n2.condition = Condition.DOWN;
        n3.condition = Condition.DOWN;
        Outcome.QuorumFailed failed =
                (Outcome.QuorumFailed) put(n1, "v", MINUTE, null, TWO_OF_THREE);
        n2.condition = Condition.UP;
        n3.condition = Condition.UP;
        cluster.time.advance(Duration.ofSeconds(20));
        assertThat(put(n2, "v", MINUTE, failed.timestamp(), ALL))
                .isEqualTo(new Outcome.Written(failed.timestamp()));
        assertThat(held(n2)).isEqualTo(held(n1));
        assertThat(held(n3)).isEqualTo(held(n1));
    }

    @Test
    void stampedAnewItLivesAsLong() {
        n2.skewMillis = -400;
        // Straight into the stores: no clock has heard of it.
        Entry ahead = Entry.value(KEY, Timestamp.of(cluster.time.wallMillis() + 50, 0, 9), KEY, 3);
        for (Node node : cluster.nodes) {
            node.hold(ahead);
        }
        assertThat(put(n2, "v", MINUTE, null, ALL)).isInstanceOf(Outcome.Written.class);
        Entry entry = held(n2);
        assertThat(entry.timestamp().isAfter(ahead.timestamp())).isTrue();
        assertThat(n2.coordinator.figures().count("restamps")).isEqualTo(1);
        assertThat(entry.expiresAtMillis()).isEqualTo(entry.timestamp().wallMillis() + 60_000);
        assertThat(entry.contentType()).isEqualTo("text/brief");
    }

    /** Had it been wrong before, the others would have refused the node. */
    @Test
    void aClockThatJumpsDuringAReadDoesNotExpireAValue() {
        put(n1, "v", MINUTE, null, ALL);
        cluster.delayNanos = () -> 1_000_000;
        Outcomes outcomes = new Outcomes();
        n1.coordinator.read(KEY, TWO_OF_THREE, outcomes);
        n1.skewMillis = Duration.ofDays(365).toMillis();
        cluster.time.advance(Duration.ofMillis(5));
        assertThat(outcomes.only()).isInstanceOf(Outcome.Found.class);
    }

    @Test
    void norDoesItHideAnythingOfARange() {
        put(n1, "v", MINUTE, null, ALL);
        cluster.delayNanos = () -> 1_000_000;
        List<Entry> found = new ArrayList<>();
        ScanStream range = n1.coordinator.scan(new byte[0], null, TWO_OF_THREE, ScanScope.CLUSTER);
        range.next(
                new ScanStream.ScanCallback() {
                    @Override
                    public void entries(List<Entry> entries) {
                        found.addAll(entries);
                    }

                    @Override
                    public void end() {}

                    @Override
                    public void failed(Outcome.QuorumFailed failed) {}
                });
        n1.skewMillis = Duration.ofDays(365).toMillis();
        cluster.time.advance(Duration.ofMillis(5));
        assertThat(found).hasSize(1);
        range.close();
    }
}
