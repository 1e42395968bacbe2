package dev.quorate.router.coordinator;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import dev.quorate.router.coordinator.SimulatedCluster.Condition;
import dev.quorate.router.coordinator.SimulatedCluster.Node;
import dev.quorate.router.coordinator.operation.NewValue;
import dev.quorate.router.coordinator.operation.Outcome;
import dev.quorate.router.message.ReplicaAnswer.Failed;
import dev.quorate.router.message.ReplicaAnswer.Failure;
import dev.quorate.router.quorum.QuorumSpec;
import dev.quorate.storage.Timestamp;
import org.junit.jupiter.api.Test;

/**
 * A version that a client sends again after so long that a newer tombstone may have been dropped.
 */
class OldWritesTest {

    private static final byte[] KEY = "key".getBytes(US_ASCII);
    private static final QuorumSpec TWO_OF_THREE = new QuorumSpec(2, 3);

    private final SimulatedCluster cluster = new SimulatedCluster(3);
    private final Node n1 = cluster.nodes.get(0);
    private final Node n2 = cluster.nodes.get(1);
    private final Node n3 = cluster.nodes.get(2);
    private final Timestamp old = Timestamp.of(cluster.time.wallMillis() - 10_000, 0, 1);

    private static void refuseOldWrites(Timestamp version, Node... nodes) {
        for (Node node : nodes) {
            node.oldestWriteMillis = version.wallMillis() + 1;
        }
    }

    private Outcome put() {
        Outcomes outcomes = new Outcomes();
        n1.coordinator.write(
                KEY, new NewValue(KEY, null, null), old, TWO_OF_THREE, false, outcomes);
        cluster.time.advanceMillis(5_000);
        return outcomes.only();
    }

    @Test
    void anAnswerStatesThatTheVersionIsTooOldAndNothingWasWritten() {
        refuseOldWrites(old, n1, n2, n3);
        Outcome.TooOld tooOld = (Outcome.TooOld) put();
        assertThat(tooOld.timestamp()).isEqualTo(old);
        assertThat(tooOld.explanation().reasons())
                .anyMatch(reason -> reason.startsWith("n1 and n2 refuse a write as old as this"));
        for (Node node : cluster.nodes) {
            assertThat(node.store.holdings(KEY).entries()).isEmpty();
        }
        Outcomes deleted = new Outcomes();
        n1.coordinator.write(KEY, null, old, TWO_OF_THREE, false, deleted);
        assertThat(deleted.only()).isInstanceOf(Outcome.TooOld.class);
    }

    @Test
    void theOthersNeedNotBeThereForThat() {
        refuseOldWrites(old, n1);
        n2.failure = new Failed(Failure.BREAKER_OPEN, "down");
        n3.failure = n2.failure;
        assertThat(put()).isInstanceOf(Outcome.TooOld.class);
    }

    @Test
    void whereAReplicaHasItAlreadyItIsIndeterminate() {
        refuseOldWrites(old, n2, n3); // their clocks are a little ahead of n1's
        Outcome.QuorumFailed failed = (Outcome.QuorumFailed) put();
        assertThat(failed.accepted()).containsExactly("n1");
        assertThat(failed.failures()).extracting("reason").containsOnly(Failure.TOO_OLD);
    }

    @Test
    void whereAReplicaMayHaveItItIsIndeterminate() {
        refuseOldWrites(old, n1, n3);
        n2.condition = Condition.MUTE;
        assertThat(put()).isInstanceOf(Outcome.QuorumFailed.class);
    }

    @Test
    void oneThatTakesNoneDoesNotKeepTheOthersFromIt() {
        refuseOldWrites(old, n1);
        assertThat(put()).isEqualTo(new Outcome.Written(old));
    }
}
