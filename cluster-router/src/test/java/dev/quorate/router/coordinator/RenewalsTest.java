package dev.quorate.router.coordinator;

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

/** Changes of the expiry alone, through real coordinators and replicas, on simulated time. */
class RenewalsTest {

    private static final byte[] KEY = "key".getBytes(US_ASCII);
    private static final QuorumSpec TWO_OF_THREE = new QuorumSpec(2, 3);
    private static final Duration MINUTE = Duration.ofMinutes(1);

    private SimulatedCluster cluster = new SimulatedCluster(3);
    private Node n1 = cluster.nodes.get(0);
    private Node n2 = cluster.nodes.get(1);
    private Node n3 = cluster.nodes.get(2);

    private void beginWithDelays() {
        cluster = new SimulatedCluster(3);
        cluster.delayNanos = () -> 1_000_000;
        n1 = cluster.nodes.get(0);
        n2 = cluster.nodes.get(1);
        n3 = cluster.nodes.get(2);
    }

    private Outcome finish(Outcomes outcomes) {
        for (int i = 0; i < 5_000 && outcomes.isPending(); i++) {
            cluster.time.advanceMillis(1);
        }
        return outcomes.only();
    }

    private Outcome renew(Node by, @Nullable Duration time, @Nullable Timestamp version) {
        Outcomes outcomes = new Outcomes();
        by.coordinator.renew(KEY, time, version, TWO_OF_THREE, outcomes);
        return finish(outcomes);
    }

    private Timestamp put(Node by, byte[] value, @Nullable Duration time) {
        Outcomes outcomes = new Outcomes();
        NewValue put = new NewValue(value, time, "text/plain");
        by.coordinator.write(KEY, put, null, TWO_OF_THREE, false, outcomes);
        return version(finish(outcomes));
    }

    private Timestamp put(Node by, String value) {
        return put(by, value.getBytes(US_ASCII), null);
    }

    private static Timestamp version(Outcome outcome) {
        assertThat(outcome).isInstanceOf(Outcome.Written.class);
        return ((Outcome.Written) outcome).timestamp();
    }

    private @Nullable Entry read(Node by) {
        Outcomes outcomes = new Outcomes();
        by.coordinator.read(KEY, TWO_OF_THREE, outcomes);
        return finish(outcomes) instanceof Outcome.Found(var entry) ? entry : null;
    }

    @Test
    void theExpiryAloneChanges() {
        Timestamp first = put(n1, "a");
        long before = cluster.time.wallMillis();
        Timestamp second = version(renew(n2, MINUTE, null));
        assertThat(second).isGreaterThan(first);
        Entry renewed = read(n3);
        assertThat(renewed).isNotNull();
        assertThat(renewed.timestamp()).isEqualTo(second);
        assertThat(renewed.value()).isEqualTo("a".getBytes(US_ASCII));
        assertThat(renewed.contentType()).isEqualTo("text/plain");
        assertThat(renewed.expiresAtMillis() - before).isBetween(60_000L, 61_000L);

        Timestamp third = version(renew(n3, null, second));
        Entry kept = read(n1);
        assertThat(kept).isNotNull();
        assertThat(kept.expiresAtMillis()).isEqualTo(Entry.NEVER);
        assertThat(kept.timestamp()).isEqualTo(third);
        cluster.time.advanceMillis(120_000);
        assertThat(read(n2)).isNotNull();

        version(renew(n1, MINUTE, third));
        cluster.time.advanceMillis(61_000);
        assertThat(read(n2)).isNull();
        assertThat(renew(n1, MINUTE, null)).isInstanceOf(Outcome.Missing.class);
        assertThat(read(n2)).isNull();
    }

    @Test
    void aKeyWithoutAValueStaysAbsent() {
        assertThat(renew(n1, MINUTE, null)).isEqualTo(new Outcome.Missing(null));
        put(n1, new byte[1], Duration.ofSeconds(1));
        cluster.time.advanceMillis(1_500);
        assertThat(renew(n1, null, null)).isInstanceOf(Outcome.Missing.class);
        assertThat(renew(n1, null, Timestamp.of(5, 0, 1))).isInstanceOf(Outcome.Missing.class);
        assertThat(read(n2)).isNull();
    }

    @Test
    void anotherVersionIsNotRenewed() {
        Timestamp first = put(n1, "a");
        Timestamp second = put(n2, "b");
        assertThat(renew(n3, MINUTE, first)).isEqualTo(new Outcome.Unmet(second));
        assertThat(renew(n3, MINUTE, Timestamp.ZERO)).isEqualTo(new Outcome.Unmet(second));
        Entry held = read(n1);
        assertThat(held).isNotNull();
        assertThat(held.expiresAtMillis()).isEqualTo(Entry.NEVER);
    }

    @Test
    void aLongValueIsNotRenewed() {
        put(n1, new byte[(1 << 20) + 1], null);
        assertThat(renew(n2, MINUTE, null)).isEqualTo(new Outcome.TooLong((1 << 20) + 1));
        put(n1, new byte[1 << 20], null);
        version(renew(n2, MINUTE, null));
        assertThat(cluster.largeValues.usedBytes()).isZero();
    }

    /**
     * Another write is acknowledged between the read and the write of a renewal: at each moment of
     * it, by any node. The value is never that of the renewal afterwards, and a renewal that names
     * no version begins again.
     */
    @Test
    void noOtherWriteIsLost() {
        int begunAgain = 0;
        for (int micros = 0; micros < 9_000; micros += 250) {
            for (boolean isNamed : new boolean[] {false, true}) {
                beginWithDelays();
                Timestamp first = put(n1, "a");
                Outcomes renewal = new Outcomes();
                n1.coordinator.renew(KEY, MINUTE, isNamed ? first : null, TWO_OF_THREE, renewal);
                cluster.time.advance(Duration.ofNanos(micros * 1_000L));
                put(n2, "b");
                Outcome outcome = finish(renewal);
                Entry now = read(n3);
                assertThat(now).isNotNull();
                assertThat(now.value()).as("after " + micros).isEqualTo("b".getBytes(US_ASCII));
                if (isNamed && outcome instanceof Outcome.Unmet) {
                    assertThat(now.expiresAtMillis()).isEqualTo(Entry.NEVER);
                }
                if (!isNamed) {
                    version(outcome);
                    begunAgain += now.expiresAtMillis() == Entry.NEVER ? 0 : 1;
                }
            }
        }
        assertThat(begunAgain).isPositive();
    }

    /** Without a majority nothing is changed, and an answer that is lost leaves it open. */
    @Test
    void withoutAMajorityItFails() {
        put(n1, "a");
        n2.condition = Condition.DOWN;
        n3.condition = Condition.DOWN;
        assertThat(renew(n1, MINUTE, null)).isInstanceOf(Outcome.NotJudged.class);
        n2.condition = Condition.UP;
        version(renew(n1, MINUTE, null));
    }
}
