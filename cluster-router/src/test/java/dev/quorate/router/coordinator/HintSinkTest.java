package dev.quorate.router.coordinator;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import dev.quorate.router.coordinator.SimulatedCluster.Condition;
import dev.quorate.router.coordinator.SimulatedCluster.Missed;
import dev.quorate.router.coordinator.SimulatedCluster.Node;
import dev.quorate.router.coordinator.operation.NewValue;
import dev.quorate.router.coordinator.operation.Outcome;
import dev.quorate.router.quorum.QuorumSpec;
import dev.quorate.storage.Entry;
import dev.quorate.storage.StorageException;
import dev.quorate.storage.Timestamp;
import java.time.Duration;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** Whoever keeps writes for replicas that were away hears of the right ones. */
class HintSinkTest {

    private static final byte[] KEY = "key".getBytes(US_ASCII);
    private static final byte[] VALUE = "value".getBytes(US_ASCII);
    private static final QuorumSpec TWO_OF_THREE = new QuorumSpec(2, 3);

    private final SimulatedCluster cluster = new SimulatedCluster(3);
    private final Node n1 = cluster.nodes.get(0);
    private final Node n2 = cluster.nodes.get(1);
    private final Node n3 = cluster.nodes.get(2);

    private Outcome put() {
        Outcomes outcomes = new Outcomes();
        n1.coordinator.write(
                KEY, new NewValue(VALUE, null, null), null, TWO_OF_THREE, false, outcomes);
        cluster.time.advance(Duration.ofSeconds(3));
        return outcomes.only();
    }

    @Test
    void aWriteThatAllStoredNeedsNoHint() {
        assertThat(put()).isInstanceOf(Outcome.Written.class);
        assertThat(cluster.missed).isEmpty();
    }

    /** Whatever the order: the failure may come before the quorum is reached, or after. */
    @Test
    void aReplicaThatIsDownHasMissedIt() {
        for (Node down : new Node[] {n2, n3}) {
            cluster.missed.clear();
            down.condition = Condition.DOWN;
            Timestamp written = ((Outcome.Written) put()).timestamp();
            assertThat(cluster.missed)
                    .containsExactly(
                            new Missed(down.member.name(), Entry.value(KEY, written, VALUE, 0)));
            down.condition = Condition.UP;
        }
    }

    @Test
    void aReplicaThatDoesNotAnswerInTimeHasMissedItWhenTheClientHasLongBeenAnswered() {
        n3.condition = Condition.MUTE;
        Outcomes outcomes = new Outcomes();
        n1.coordinator.write(KEY, null, null, TWO_OF_THREE, false, outcomes);
        Timestamp written = ((Outcome.Written) outcomes.only()).timestamp();
        assertThat(cluster.missed).isEmpty();
        cluster.time.advance(Duration.ofSeconds(3));
        assertThat(cluster.missed)
                .containsExactly(new Missed(n3.member.name(), Entry.tombstone(KEY, written, 0)));
    }

    @Test
    void thisNodeItselfMayHaveMissedIt() {
        n1.store.failWrites(new StorageException.Overloaded("busy"));
        assertThat(put()).isInstanceOf(Outcome.Written.class);
        assertThat(cluster.missed).extracting(Missed::member).containsExactly("n1");
    }

    @Test
    void aFailedWriteGetsNoHint() {
        n2.condition = Condition.DOWN;
        n3.condition = Condition.DEAF;
        assertThat(put()).isInstanceOf(Outcome.QuorumFailed.class);
        assertThat(cluster.missed).isEmpty();
    }

    @Test
    void aRestampedAttemptGetsNoHint() {
        n2.skewMillis = 200;
        Timestamp later = Objects.requireNonNull(n2.clock.next());
        n2.hold(Entry.value(KEY, later, "newer".getBytes(US_ASCII), 3));
        n3.condition = Condition.DEAF;
        Timestamp written = ((Outcome.Written) put()).timestamp();
        assertThat(written.isAfter(later)).isTrue();
        assertThat(cluster.missed)
                .containsExactly(new Missed(n3.member.name(), Entry.value(KEY, written, VALUE, 0)));
    }
}
