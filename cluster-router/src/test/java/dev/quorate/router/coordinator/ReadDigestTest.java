package dev.quorate.router.coordinator;

import static dev.quorate.router.coordinator.SimulatedCluster.hold;
import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import dev.quorate.router.coordinator.SimulatedCluster.Condition;
import dev.quorate.router.coordinator.SimulatedCluster.Node;
import dev.quorate.router.coordinator.operation.Outcome;
import dev.quorate.router.message.Digest;
import dev.quorate.router.message.ReplicaRequest;
import dev.quorate.router.quorum.QuorumSpec;
import dev.quorate.router.topology.Member;
import dev.quorate.storage.CorruptionException;
import dev.quorate.storage.Entry;
import dev.quorate.storage.Timestamp;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** A long value is sent by one replica; the others say whether they have the same. */
class ReadDigestTest {

    private static final byte[] KEY = "key".getBytes(US_ASCII);
    private static final QuorumSpec TWO_OF_THREE = new QuorumSpec(2, 3);
    private static final QuorumSpec ALL_THREE = new QuorumSpec(3, 3);
    private static final int LONG = Digest.SHORT_VALUE_BYTES + 1;

    private SimulatedCluster cluster = new SimulatedCluster(3);
    private List<Node> asked = cluster.asked(KEY, 3, cluster.nodes.getFirst());
    private Node own = asked.get(0);
    private Node second = asked.get(1);
    private Node third = asked.get(2);

    private void begin(SimulatedCluster fresh) {
        cluster = fresh;
        asked = cluster.asked(KEY, 3, cluster.nodes.getFirst());
        own = asked.get(0);
        second = asked.get(1);
        third = asked.get(2);
    }

    private Timestamp next() {
        return Objects.requireNonNull(own.clock.next());
    }

    private Entry value(int bytes) {
        return value(next(), bytes, (byte) 'v');
    }

    private static Entry value(Timestamp version, int bytes, byte each) {
        byte[] value = new byte[bytes];
        Arrays.fill(value, each);
        return Entry.value(KEY, version, value, 3);
    }

    private Outcome read(Node by, QuorumSpec spec) {
        Outcomes outcomes = new Outcomes();
        by.coordinator.read(KEY, spec, outcomes);
        cluster.time.advanceMillis(5_000);
        return outcomes.only();
    }

    private static List<Class<?>> kinds(Node node) {
        List<Class<?>> kinds = new ArrayList<>();
        node.requests.forEach(request -> kinds.add(request.getClass()));
        return kinds;
    }

    @Test
    void aValueThatIsHereIsNotSentAgain() {
        Entry entry = value(LONG);
        hold(entry, own, second, third);
        assertThat(read(own, TWO_OF_THREE)).isEqualTo(new Outcome.Found(entry));
        assertThat(kinds(second)).containsExactly(ReplicaRequest.ReadDigest.class);
        assertThat(kinds(third)).isEmpty();
    }

    @Test
    void aReplicaWithANewerDigestIsAskedForItsEntry() {
        hold(value(LONG), own, second, third);
        Entry newer = value(LONG);
        hold(newer, second);
        assertThat(read(own, TWO_OF_THREE)).isEqualTo(new Outcome.Found(newer));
        assertThat(kinds(second))
                .containsExactly(ReplicaRequest.ReadDigest.class, ReplicaRequest.Read.class);
        assertThat(own.held(KEY)).as("repaired before it was shown").isEqualTo(newer);
    }

    @Test
    void aShortValueThatIsNewerIsThereAtOnce() {
        hold(value(LONG), own, second, third);
        Entry newer = value(LONG - 1);
        hold(newer, second);
        assertThat(read(own, TWO_OF_THREE)).isEqualTo(new Outcome.Found(newer));
        assertThat(kinds(second)).containsExactly(ReplicaRequest.ReadDigest.class);
    }

    @Test
    void anOlderReplicaIsRepairedWithoutSendingItsEntry() {
        hold(value(LONG), second, third);
        Entry newer = value(LONG);
        hold(newer, own);
        assertThat(read(own, TWO_OF_THREE)).isEqualTo(new Outcome.Found(newer));
        assertThat(kinds(second))
                .startsWith(ReplicaRequest.ReadDigest.class, ReplicaRequest.Write.class)
                .doesNotContain(ReplicaRequest.Read.class);
        assertThat(second.held(KEY)).isEqualTo(newer);
    }

    /**
     * It was written for one replica alone, and the others are not to go on showing an older one.
     */
    @Test
    void anOlderEntryIsReplacedEvenIfTheNewerHasFewerCopies() {
        hold(value(LONG), own, second, third);
        Node first = cluster.nodes.get(indexOf(cluster.ring.replicas(KEY, 1).getFirst()));
        Entry single = Entry.value(KEY, next(), new byte[LONG], 1);
        hold(single, first);
        assertThat(read(first, ALL_THREE)).isEqualTo(new Outcome.Found(single));
        assertThat(asked).allSatisfy(node -> assertThat(node.held(KEY)).isEqualTo(single));
    }

    private int indexOf(Member member) {
        return cluster.topology.members().indexOf(member);
    }

    /** Nobody waits for its digest, and it is not wasted. */
    @Test
    void aLateDigestIsStillCompared() {
        Entry newer = value(LONG);
        hold(value(Timestamp.of(1_000, 0, 1), LONG, (byte) 'o'), second);
        hold(newer, own, third);
        second.slowNanos = 50_000_000;
        assertThat(read(own, TWO_OF_THREE)).isEqualTo(new Outcome.Found(newer));
        assertThat(second.held(KEY)).isEqualTo(newer);
    }

    /** A client may give one version to two values; every reader has to see the same. */
    @Test
    void twoValuesOfOneVersionAreDistinguished() {
        Timestamp version = next();
        Entry low = value(version, LONG, (byte) 'a');
        Entry high = value(version, LONG, (byte) 'b');
        hold(low, own);
        hold(high, second);
        third.condition = Condition.DOWN;
        assertThat(read(own, TWO_OF_THREE)).isEqualTo(new Outcome.Found(high));
        assertThat(read(second, TWO_OF_THREE)).isEqualTo(new Outcome.Found(high));
    }

    @Test
    void whereTheOneThatWasToSendItFailsAnotherIsAsked() {
        Entry entry = value(LONG);
        hold(entry, own, second, third);
        for (long delay : new long[] {0, 1_000_000}) {
            cluster.delayNanos = () -> delay;
            own.store.failReads(new CorruptionException("table", 7, "a broken block"));
            assertThat(read(own, TWO_OF_THREE)).isEqualTo(new Outcome.Found(entry));
        }
    }

    /** The coordinator owns nothing of the key, and whoever was asked for the value is silent. */
    @Test
    void whereTheOneThatWasToSendItIsLateAnotherIsAsked() {
        begin(new SimulatedCluster(5));
        Node outside =
                cluster.nodes.stream()
                        .filter(node -> !cluster.asked(KEY, 3, node).contains(node))
                        .findFirst()
                        .orElseThrow();
        Entry entry = value(LONG);
        List<Node> owners = cluster.asked(KEY, 3, outside);
        owners.forEach(owner -> hold(entry, owner));
        cluster.delayNanos = () -> 1_000_000;
        owners.getFirst().condition = Condition.DEAF;
        assertThat(read(outside, TWO_OF_THREE)).isEqualTo(new Outcome.Found(entry));
        assertThat(kinds(owners.get(1))).containsExactly(ReplicaRequest.ReadDigest.class);
        assertThat(kinds(owners.get(2))).containsExactly(ReplicaRequest.Read.class);
    }

    /** Whatever three replicas hold, and whoever asks: the newest wins, and all have it then. */
    @Test
    void theNewestWins() {
        int kinds = 5;
        for (int i = 0; i < kinds * kinds * kinds; i++) {
            for (long delay : new long[] {0, 1_000_000}) {
                for (boolean twice : new boolean[] {false, true}) {
                    begin(new SimulatedCluster(3));
                    cluster.delayNanos = () -> delay;
                    cluster.answersTwice = twice;
                    List<@Nullable Entry> drawn = new ArrayList<>();
                    for (int rest = i, n = 0; n < 3; n++, rest /= kinds) {
                        drawn.add(entry(rest % kinds));
                        hold(drawn.getLast(), asked.get(n));
                    }
                    assertNewestWins(drawn);
                }
            }
        }
    }

    private @Nullable Entry entry(int kind) {
        return switch (kind) {
            case 0 -> null;
            case 1 -> Entry.tombstone(KEY, next(), 3);
            case 2 -> value(LONG - 1);
            case 3 -> value(LONG);
            default -> value(Timestamp.of(1_000, 0, 1), LONG, (byte) 'o');
        };
    }

    private void assertNewestWins(List<@Nullable Entry> held) {
        Entry newest = null;
        for (Entry entry : held) {
            if (entry != null && (newest == null || entry.supersedes(newest))) {
                newest = entry;
            }
        }
        Outcome outcome = read(own, ALL_THREE);
        if (newest == null) {
            assertThat(outcome).isEqualTo(new Outcome.Missing(null));
        } else {
            assertThat(outcome)
                    .as("of %s", held)
                    .isEqualTo(
                            newest.isTombstone()
                                    ? new Outcome.Missing(newest.timestamp())
                                    : new Outcome.Found(newest));
        }
        for (Node node : asked) {
            assertThat(node.held(KEY)).as("%s of %s", node, held).isEqualTo(newest);
        }
    }
}
