package dev.quorate.router.coordinator;

import static dev.quorate.router.coordinator.SimulatedCluster.hold;
import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import dev.quorate.router.coordinator.SimulatedCluster.Condition;
import dev.quorate.router.coordinator.SimulatedCluster.Node;
import dev.quorate.router.coordinator.operation.NewValue;
import dev.quorate.router.coordinator.operation.Outcome;
import dev.quorate.router.quorum.QuorumSpec;
import dev.quorate.storage.Entry;
import dev.quorate.storage.Timestamp;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** A version belongs to one write: what was acknowledged under it stays as it is. */
class GivenVersionTest {

    private static final byte[] KEY = "key".getBytes(US_ASCII);
    private static final QuorumSpec TWO_OF_THREE = new QuorumSpec(2, 3);

    private final SimulatedCluster cluster = new SimulatedCluster(3);
    private final Node n1 = cluster.nodes.get(0);
    private final Node n2 = cluster.nodes.get(1);
    private final Node n3 = cluster.nodes.get(2);
    private final Timestamp version = Timestamp.of(cluster.time.wallMillis() - 1_000, 0, 1);

    private Outcome put(Node by, String value, @Nullable Duration timeToLive) {
        return put(by, value, timeToLive, null);
    }

    private Outcome put(
            Node by, String value, @Nullable Duration timeToLive, @Nullable String type) {
        Outcomes outcomes = new Outcomes();
        by.coordinator.write(
                KEY,
                new NewValue(value.getBytes(US_ASCII), timeToLive, type),
                version,
                TWO_OF_THREE,
                false,
                outcomes);
        cluster.time.advanceMillis(5_000);
        return outcomes.only();
    }

    private Outcome delete(Node by) {
        Outcomes outcomes = new Outcomes();
        by.coordinator.write(KEY, null, version, TWO_OF_THREE, false, outcomes);
        cluster.time.advanceMillis(5_000);
        return outcomes.only();
    }

    private Outcome read(Node by) {
        Outcomes outcomes = new Outcomes();
        by.coordinator.read(KEY, TWO_OF_THREE, outcomes);
        cluster.time.advanceMillis(5_000);
        return outcomes.only();
    }

    private static Entry value(String value, Timestamp version) {
        return Entry.value(KEY, version, value.getBytes(US_ASCII), 0);
    }

    @Test
    void anotherValueOrADeleteUnderItIsRefusedAndTheSameWriteIsNot() {
        Outcome written = new Outcome.Written(version);
        assertThat(put(n1, "zzz", null)).isEqualTo(written);
        assertThat(put(n2, "aaa", null)).isInstanceOf(Outcome.VersionTaken.class);
        assertThat(put(n2, "zzzz", null)).isInstanceOf(Outcome.VersionTaken.class);
        assertThat(put(n2, "zzz", Duration.ofDays(1))).isInstanceOf(Outcome.VersionTaken.class);
        assertThat(delete(n3)).isInstanceOf(Outcome.VersionTaken.class);
        assertThat(put(n3, "zzz", null)).isEqualTo(written);
        assertThat(read(n1)).isEqualTo(new Outcome.Found(value("zzz", version)));
        assertThat(n2.coordinator.figures().count("versions_taken")).isEqualTo(3);
    }

    @Test
    void anotherContentTypeUnderItIsRefused() {
        assertThat(put(n1, "zzz", null, "text/plain")).isEqualTo(new Outcome.Written(version));
        assertThat(put(n2, "zzz", null)).isInstanceOf(Outcome.VersionTaken.class);
        assertThat(put(n2, "zzz", null, "text/html")).isInstanceOf(Outcome.VersionTaken.class);
        assertThat(put(n3, "zzz", null, "text/plain")).isEqualTo(new Outcome.Written(version));
        assertThat(read(n3))
                .isEqualTo(new Outcome.Found(value("zzz", version).withContentType("text/plain")));
    }

    @Test
    void aValueUnderADeletesVersionIsRefused() {
        assertThat(delete(n1)).isEqualTo(new Outcome.Written(version));
        assertThat(put(n2, "zzz", null)).isInstanceOf(Outcome.VersionTaken.class);
        assertThat(delete(n3)).isEqualTo(new Outcome.Written(version));
        assertThat(read(n1)).isEqualTo(new Outcome.Missing(version));
    }

    @Test
    void anExpiredValueIsTheSameWriteAsItsTombstone() {
        Duration life = Duration.ofSeconds(2);
        assertThat(put(n1, "short", life)).isEqualTo(new Outcome.Written(version));
        hold(Entry.tombstone(KEY, version, 0), n2); // as compaction leaves it
        assertThat(put(n3, "short", life)).isEqualTo(new Outcome.Written(version));
        assertThat(read(n3)).isEqualTo(new Outcome.Missing(version));
    }

    /** What was acknowledged is found although a replica that has it is down. */
    @Test
    void aReplicaThatMissedTheFirstWriteDoesNotTakeTheSecond() {
        n3.condition = Condition.DOWN;
        assertThat(put(n1, "aaa", null)).isEqualTo(new Outcome.Written(version));
        n3.condition = Condition.UP;
        n2.condition = Condition.DOWN;
        assertThat(put(n3, "zzz", null)).isInstanceOf(Outcome.VersionTaken.class);
        assertThat(n3.held(KEY)).isNotEqualTo(value("zzz", version));
    }

    /** Neither sees the other when it looks; the replicas see both. */
    @Test
    void ofTwoAtOnceNotBothAreAcknowledged() {
        cluster.delayNanos = () -> 1_000_000;
        Outcomes one = new Outcomes();
        Outcomes other = new Outcomes();
        n1.coordinator.write(
                KEY,
                new NewValue("aaa".getBytes(US_ASCII), null, null),
                version,
                TWO_OF_THREE,
                false,
                one);
        n2.coordinator.write(
                KEY,
                new NewValue("zzz".getBytes(US_ASCII), null, null),
                version,
                TWO_OF_THREE,
                false,
                other);
        cluster.time.advanceMillis(5_000);
        Outcome written = new Outcome.Written(version);
        assertThat(one.only().equals(written) && other.only().equals(written)).isFalse();
    }

    /** It cannot be said that nothing was changed where a replica has stored it. */
    @Test
    void aWriteThatSomeReplicaHasStoredIsIndeterminateThoughItsVersionIsTaken() {
        cluster.delayNanos = () -> 1_000_000;
        Outcomes outcomes = new Outcomes();
        n3.coordinator.write(
                KEY,
                new NewValue("zzz".getBytes(US_ASCII), null, null),
                version,
                TWO_OF_THREE,
                false,
                outcomes);
        cluster.time.advance(Duration.ofNanos(2_500_000)); // it has looked, and writes
        hold(value("aaa", version), n1, n2);
        cluster.time.advanceMillis(5_000);
        assertThat(n3.held(KEY)).isEqualTo(value("zzz", version));
        assertThat(outcomes.only())
                .isInstanceOfSatisfying(
                        Outcome.QuorumFailed.class,
                        failed -> assertThat(failed.accepted()).containsExactly("n3"));
    }

    /** However it came about: reads leave all replicas with the same one of the two. */
    @Test
    void copiesThatDifferUnderOneVersionAreMadeTheSame() {
        hold(value("aaa", version), n1, n2);
        hold(value("zzz", version), n3);
        Outcomes outcomes = new Outcomes();
        n1.coordinator.read(KEY, new QuorumSpec(3, 3), outcomes);
        cluster.time.advanceMillis(5_000);
        assertThat(outcomes.only()).isEqualTo(new Outcome.Found(value("zzz", version)));
        for (Node node : cluster.nodes) {
            assertThat(node.held(KEY)).isEqualTo(value("zzz", version));
        }
    }
}
