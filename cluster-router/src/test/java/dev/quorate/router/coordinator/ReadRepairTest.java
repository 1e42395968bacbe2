package dev.quorate.router.coordinator;

import static dev.quorate.router.coordinator.SimulatedCluster.hold;
import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import dev.quorate.router.coordinator.SimulatedCluster.Condition;
import dev.quorate.router.coordinator.SimulatedCluster.Node;
import dev.quorate.router.coordinator.operation.Outcome;
import dev.quorate.router.quorum.QuorumSpec;
import dev.quorate.storage.Entry;
import dev.quorate.storage.Figures;
import dev.quorate.storage.StorageException;
import dev.quorate.storage.Timestamp;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** Reads leave replicas more alike than they found them. */
class ReadRepairTest {

    private static final byte[] KEY = "key".getBytes(US_ASCII);
    private static final QuorumSpec TWO_OF_THREE = new QuorumSpec(2, 3);

    private final SimulatedCluster cluster = new SimulatedCluster(3);
    private final Node n1 = cluster.nodes.get(0);
    private final Node n2 = cluster.nodes.get(1);
    private final Node n3 = cluster.nodes.get(2);
    private final Entry first = value("first", 3);
    private final Entry second = value("second", 3);

    private Entry value(String value, int from) {
        return Entry.value(KEY, next(), value.getBytes(US_ASCII), from);
    }

    private Timestamp next() {
        return Objects.requireNonNull(n1.clock.next());
    }

    private Outcome read(Node by, QuorumSpec spec) {
        Outcomes outcomes = new Outcomes();
        by.coordinator.read(KEY, spec, outcomes);
        cluster.time.advanceMillis(5_000);
        return outcomes.only();
    }

    /** The heart of it: what one client has seen, the next one sees, whoever has failed since. */
    @Test
    void anEntryIsAtAMajorityBeforeAReadReturnsIt() {
        hold(first, n1, n2, n3);
        hold(second, n1);
        n3.condition = Condition.DOWN;
        assertThat(read(n1, TWO_OF_THREE)).isEqualTo(new Outcome.Found(second));
        assertThat(n2.held(KEY)).isEqualTo(second);

        n3.condition = Condition.UP;
        n1.condition = Condition.DOWN;
        assertThat(read(n3, TWO_OF_THREE)).isEqualTo(new Outcome.Found(second));
        assertThat(n3.held(KEY)).isEqualTo(second);
    }

    @Test
    void aReadFailsIfItCannotRepairAMajority() {
        hold(first, n2, n3);
        hold(second, n1);
        cluster.delayNanos = () -> 1_000_000;
        n2.store.failWrites(new StorageException.Full("no space", null));
        n3.store.failWrites(new StorageException.Full("no space", null));
        Outcome outcome = read(n1, TWO_OF_THREE);
        assertThat(outcome).isInstanceOf(Outcome.QuorumFailed.class);
        Outcome.QuorumFailed failed = (Outcome.QuorumFailed) outcome;
        assertThat(failed.accepted()).containsExactly("n1");
        assertThat(failed.failures())
                .extracting(Outcome.ReplicaFailure::member)
                .containsExactlyInAnyOrder("n2", "n3");
        assertThat(failed.failures().getFirst().detail()).contains("could not be repaired");
    }

    @Test
    void tombstonesAreRepairedToo() {
        hold(first, n1, n2, n3);
        Entry tombstone = Entry.tombstone(KEY, next(), 3);
        hold(tombstone, n2);
        assertThat(read(n1, new QuorumSpec(3, 3)))
                .isEqualTo(new Outcome.Missing(tombstone.timestamp()));
        assertThat(List.of(n1, n2, n3))
                .allSatisfy(n -> assertThat(n.held(KEY)).isEqualTo(tombstone));
    }

    @Test
    void aRepairDoesNotChangeTheTimestampAndSupersedesNothingNewer() {
        hold(first, n1);
        hold(second, n2);
        n3.condition = Condition.DOWN;
        cluster.delayNanos = () -> 1_000_000;
        Outcomes outcomes = new Outcomes();
        n2.coordinator.read(KEY, TWO_OF_THREE, outcomes);
        cluster.time.advance(Duration.ofNanos(2_500_000));
        Entry third = value("third", 3);
        hold(third, n1); // while the repair is on its way
        cluster.time.advanceMillis(100);
        assertThat(outcomes.only()).isEqualTo(new Outcome.Found(second));
        assertThat(n1.held(KEY)).isEqualTo(third);
    }

    @Test
    void noCopyIsMadeBeyondTheEntrysOwnFrom() {
        Entry single = value("single", 1);
        List<Node> owners = cluster.asked(KEY, 3, cluster.nodes.get(0));
        Node owner = node(cluster.ring.replicas(KEY, 1).getFirst().name());
        hold(single, owner);
        assertThat(read(owner, new QuorumSpec(3, 3))).isEqualTo(new Outcome.Found(single));
        for (Node node : owners) {
            assertThat(node.held(KEY)).isEqualTo(node == owner ? single : null);
        }
    }

    @Test
    void butOlderEntriesElsewhereAreReplaced() {
        hold(first, n1, n2, n3);
        Node owner = node(cluster.ring.replicas(KEY, 1).getFirst().name());
        Entry single = value("single", 1);
        hold(single, owner);
        assertThat(read(owner, new QuorumSpec(3, 3))).isEqualTo(new Outcome.Found(single));
        assertThat(List.of(n1, n2, n3)).allSatisfy(n -> assertThat(n.held(KEY)).isEqualTo(single));
    }

    /** Nobody waits for the third answer, and it is not wasted. */
    @Test
    void aReplicaThatAnswersTooLateToCountIsRepairedLater() {
        List<Node> asked = cluster.asked(KEY, 3, n1);
        hold(second, n1, asked.get(2));
        hold(first, asked.get(1));
        asked.get(1).slowNanos = 100_000_000; // so that the third is asked too
        Outcomes outcomes = new Outcomes();
        n1.coordinator.read(KEY, TWO_OF_THREE, outcomes);
        cluster.time.advanceMillis(100);
        assertThat(outcomes.only()).isEqualTo(new Outcome.Found(second));
        assertThat(asked.get(1).held(KEY)).isEqualTo(first);
        cluster.time.advanceMillis(5_000);
        assertThat(asked.get(1).held(KEY)).isEqualTo(second);
    }

    @Test
    void aReadBelowAMajorityDoesNotWaitAndTheKeyIsRepairedLater() {
        SimulatedCluster five = new SimulatedCluster(5);
        Entry old = value("old", 5);
        Entry recent = value("recent", 5);
        Node reader = five.nodes.get(4);
        five.nodes.forEach(node -> hold(node == reader ? recent : old, node));
        five.delayNanos = () -> 1_000_000;
        Outcomes outcomes = new Outcomes();
        reader.coordinator.read(KEY, new QuorumSpec(2, 5), outcomes);
        five.time.advanceMillis(10);
        assertThat(outcomes.only()).isEqualTo(new Outcome.Found(recent));
        assertThat(five.nodes).anySatisfy(node -> assertThat(node.held(KEY)).isEqualTo(old));
        five.time.advanceMillis(5_000);
        assertThat(five.nodes).allSatisfy(node -> assertThat(node.held(KEY)).isEqualTo(recent));
    }

    /**
     * Its owners are fewer than those that the read asks. That one of them is down is no reason to
     * keep from a client what enough replicas have answered.
     */
    @Test
    void anEntryOfASmallerFromIsShownThoughOneOfItsOwnersIsDown() {
        List<Node> owners =
                cluster.ring.replicas(KEY, 3).stream().map(member -> node(member.name())).toList();
        Entry small = value("small", 2);
        hold(first, n1, n2, n3);
        hold(small, owners.get(0));
        owners.get(1).condition = Condition.DOWN;
        assertThat(read(owners.get(0), TWO_OF_THREE)).isEqualTo(new Outcome.Found(small));
        assertThat(owners.get(2).held(KEY)).as("replaces what is older").isEqualTo(small);
        assertThat(read(owners.get(2), TWO_OF_THREE)).isEqualTo(new Outcome.Found(small));

        owners.get(1).condition = Condition.UP;
        assertThat(read(owners.get(2), new QuorumSpec(3, 3))).isEqualTo(new Outcome.Found(small));
        assertThat(owners.get(1).held(KEY)).isEqualTo(small);
    }

    @Test
    void answersThatAgreeCostNothing() {
        hold(first, n1, n2, n3);
        read(n1, TWO_OF_THREE);
        Figures figures = n1.coordinator.figures();
        assertThat(figures.count("read_repairs", "mode", "before_the_answer")).isZero();
        assertThat(figures.count("read_repairs", "mode", "later")).isZero();
    }

    private Node node(String name) {
        return cluster.nodes.stream()
                .filter(node -> node.member.name().equals(name))
                .findFirst()
                .orElseThrow();
    }
}
