package dev.quorate.node.coordinator;

import static dev.quorate.node.coordinator.SimulatedCluster.hold;
import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import dev.quorate.node.coordinator.Explanation.Purpose;
import dev.quorate.node.coordinator.Explanation.Reply;
import dev.quorate.node.coordinator.Explanation.Round;
import dev.quorate.node.coordinator.Explanation.Told;
import dev.quorate.node.coordinator.SimulatedCluster.Condition;
import dev.quorate.node.coordinator.SimulatedCluster.Node;
import dev.quorate.node.message.ReplicaAnswer.Failed;
import dev.quorate.node.message.ReplicaAnswer.Failure;
import dev.quorate.router.quorum.QuorumSpec;
import dev.quorate.storage.CorruptionException;
import dev.quorate.storage.Entry;
import dev.quorate.storage.StorageException;
import dev.quorate.storage.Timestamp;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** An operation can say how it came to its outcome: who was asked, what each said, what won. */
class ExplanationTest {

    private static final byte[] KEY = "key".getBytes(US_ASCII);
    private static final byte[] VALUE = "value".getBytes(US_ASCII);
    private static final QuorumSpec ONE_OF_THREE = new QuorumSpec(1, 3);
    private static final QuorumSpec TWO_OF_THREE = new QuorumSpec(2, 3);
    private static final QuorumSpec ALL_THREE = new QuorumSpec(3, 3);

    private final SimulatedCluster cluster = new SimulatedCluster(3);
    private final Node n1 = cluster.nodes.get(0);
    private final Node n2 = cluster.nodes.get(1);
    private final Node n3 = cluster.nodes.get(2);

    private Timestamp next(Node node) {
        return Objects.requireNonNull(node.clock.next());
    }

    private Outcomes read(QuorumSpec spec) {
        Outcomes outcomes = new Outcomes(true);
        n1.coordinator.read(KEY, spec, outcomes);
        cluster.time.advanceMillis(5_000);
        return outcomes;
    }

    private Outcomes put(QuorumSpec spec, @Nullable Timestamp version) {
        Outcomes outcomes = new Outcomes(true);
        n1.coordinator.put(KEY, VALUE, version, spec, outcomes);
        cluster.time.advanceMillis(5_000);
        return outcomes;
    }

    private static Reply reply(Round round, Node node) {
        return round.replies().stream()
                .filter(reply -> reply.member().equals(node.member.name()))
                .findFirst()
                .orElseThrow();
    }

    private static Told told(Round round, Node node) {
        return reply(round, node).told();
    }

    @Test
    void aReadSaysWhatEachReplicaHoldsAndWhatWon() {
        Entry value = Entry.value(KEY, next(n1), VALUE, 3);
        byte[] long_ = new byte[300];
        Entry longer = Entry.expiring(KEY, next(n1), long_, 3, value.timestamp().wallMillis() * 2);
        Entry tombstone = Entry.tombstone(KEY, next(n1), 2);
        hold(value, n1);
        hold(longer, n2);
        hold(tombstone, n3);
        Outcomes outcomes = read(ALL_THREE);
        assertThat(outcomes.only()).isEqualTo(new Outcome.Missing(tombstone.timestamp()));

        Explanation why = outcomes.explanation();
        Round read = why.rounds().getFirst();
        assertThat(read.purpose()).isEqualTo(Purpose.READ);
        assertThat(told(read, n1))
                .isEqualTo(new Told.Holds(value.timestamp(), false, 3, 5, Entry.NEVER));
        assertThat(told(read, n2))
                .isEqualTo(
                        new Told.Holds(
                                longer.timestamp(), false, 3, 300, longer.expiresAtMillis()));
        assertThat(told(read, n3))
                .isEqualTo(new Told.Holds(tombstone.timestamp(), true, 2, 0, Entry.NEVER));
        assertThat(String.join("; ", why.reasons()))
                .contains("3 of 3 replicas answered", "and 3 had to")
                .contains("n3 holds the newest version, " + tombstone.timestamp())
                .contains("tombstone");
    }

    @Test
    void whatWasNotWaitedForIsSaidToBeSo() {
        Entry value = Entry.value(KEY, next(n1), VALUE, 3);
        hold(value, n1, n2, n3);
        cluster.delayNanos = () -> 1_500_000;
        Outcomes outcomes = read(TWO_OF_THREE);
        Round read = outcomes.explanation().rounds().getFirst();
        assertThat(outcomes.explanation().rounds()).hasSize(1);
        assertThat(outcomes.explanation().reasons())
                .containsExactly(
                        "2 of 3 replicas answered (n1 and n2), and 2 had to: they hold the same"
                                + " version");
        assertThat(reply(read, n1).micros()).isZero();
        assertThat(reply(read, n2).micros()).isEqualTo(3_000);
        assertThat(told(read, n3)).isEqualTo(Told.NotAsked.NOT_ASKED);

        n2.condition = Condition.DEAF; // so that n3 is asked too, after a while
        read = read(TWO_OF_THREE).explanation().rounds().getFirst();
        assertThat(reply(read, n2)).isEqualTo(new Reply("n2", Told.Awaited.AWAITED, Reply.NO_TIME));
        assertThat(told(read, n3)).isInstanceOf(Told.Holds.class);

        n2.condition = Condition.UP;
        n3.condition = Condition.DEAF;
        outcomes = put(TWO_OF_THREE, null);
        Round write = outcomes.explanation().rounds().getFirst();
        assertThat(told(write, n2)).isInstanceOf(Told.Keeps.class);
        assertThat(told(write, n3)).isEqualTo(Told.Awaited.AWAITED);

        cluster.delayNanos = () -> 0;
        outcomes = read(ONE_OF_THREE);
        read = outcomes.explanation().rounds().getFirst();
        assertThat(told(read, n2)).isEqualTo(Told.NotAsked.NOT_ASKED);
        assertThat(outcomes.explanation().reasons())
                .containsExactly("1 of 3 replicas answered (n1), and 1 had to");
    }

    @Test
    void aKeyThatNobodyKnows() {
        Explanation why = read(TWO_OF_THREE).explanation();
        assertThat(told(why.rounds().getFirst(), n1)).isEqualTo(Told.Nothing.NOTHING);
        assertThat(why.reasons()).contains("none of them holds anything of the key");
    }

    @ParameterizedTest
    @EnumSource(Failure.class)
    void eachKindOfFailureIsNamedWithItsDetail(Failure failure) {
        n2.failure = new Failed(failure, "the detail");
        Round read = read(TWO_OF_THREE).explanation().rounds().getFirst();
        assertThat(told(read, n2)).isEqualTo(new Told.Failed(failure, "the detail"));

        Explanation why = put(TWO_OF_THREE, null).explanation();
        assertThat(told(why.rounds().getFirst(), n2))
                .isEqualTo(new Told.Failed(failure, "the detail"));
    }

    @Test
    void whatALocalStoreSaysIsTold() {
        n1.store.failReads(new CorruptionException("table", 7, "a broken block"));
        n2.condition = Condition.DOWN;
        Outcomes outcomes = read(TWO_OF_THREE);
        Outcome.QuorumFailed failed = (Outcome.QuorumFailed) outcomes.only();
        assertThat(outcomes.explanation()).isEqualTo(failed.explanation());
        Round read = failed.explanation().rounds().getFirst();
        assertThat(((Told.Failed) told(read, n1)).reason()).isEqualTo(Failure.CORRUPT);
        assertThat(((Told.Failed) told(read, n1)).detail()).contains("a broken block");
        assertThat(((Told.Failed) told(read, n2)).reason()).isEqualTo(Failure.UNREACHABLE);
        assertThat(failed.explanation().reasons().getFirst())
                .isEqualTo("0 of 3 replicas answered, and 2 had to");
    }

    /** Also where nobody has asked: a failure is not to be repeated to be understood. */
    @Test
    void aFailureIsExplainedUnasked() {
        n2.condition = Condition.DOWN;
        n3.condition = Condition.DEAF;
        Outcomes outcomes = new Outcomes(false);
        n1.coordinator.put(KEY, VALUE, null, TWO_OF_THREE, outcomes);
        cluster.time.advanceMillis(5_000);
        Outcome.QuorumFailed failed = (Outcome.QuorumFailed) outcomes.only();
        Round write = failed.explanation().rounds().getFirst();
        Timestamp version = Objects.requireNonNull(failed.timestamp());
        assertThat(write.version()).isEqualTo(version);
        assertThat(told(write, n1)).isEqualTo(new Told.Keeps(version));
        assertThat(((Told.Failed) told(write, n2)).reason()).isEqualTo(Failure.UNREACHABLE);
        assertThat(((Told.Failed) told(write, n3)).reason()).isEqualTo(Failure.TIMEOUT);
        assertThat(reply(write, n3).micros()).isGreaterThanOrEqualTo(100_000);
        assertThat(failed.explanation().reasons())
                .containsExactly(
                        "1 of 3 replicas have version " + version + " on disk (n1), and 2 had to");
    }

    @Test
    void aReadRepairIsARoundOfItsOwn() {
        Entry newer = Entry.value(KEY, next(n1), VALUE, 3);
        hold(newer, n2);
        cluster.delayNanos = () -> 1_000_000;
        n3.condition = Condition.DOWN;
        Outcomes outcomes = read(TWO_OF_THREE);
        assertThat(outcomes.only()).isEqualTo(new Outcome.Found(newer));
        Explanation why = outcomes.explanation();
        Round repair = why.rounds().getLast();
        assertThat(repair.purpose()).isEqualTo(Purpose.REPAIR);
        assertThat(repair.version()).isEqualTo(newer.timestamp());
        assertThat(told(repair, n1)).isEqualTo(new Told.Keeps(newer.timestamp()));
        assertThat(told(repair, n3)).isNotInstanceOf(Told.Keeps.class);
        assertThat(why.reasons()).anyMatch(reason -> reason.startsWith("read repair: "));
    }

    @Test
    void aRepairThatFailsIsExplained() {
        hold(Entry.value(KEY, next(n1), VALUE, 3), n1);
        cluster.delayNanos = () -> 1_000_000;
        n2.store.failWrites(new StorageException.Full("no space", null));
        n3.store.failWrites(new StorageException.Full("no space", null));
        Outcome.QuorumFailed failed = (Outcome.QuorumFailed) read(TWO_OF_THREE).only();
        Round repair = failed.explanation().rounds().getLast();
        assertThat(((Told.Failed) told(repair, n2)).reason()).isEqualTo(Failure.DISK_FULL);
        assertThat(failed.explanation().reasons().getLast())
                .contains("could not be left with a majority");
    }

    @Test
    void belowAMajorityTheKeyIsLookedAtAgain() {
        QuorumSpec two = new QuorumSpec(2, 5);
        SimulatedCluster five = new SimulatedCluster(5);
        List<Node> asked = five.asked(KEY, 5, five.nodes.getFirst());
        hold(Entry.value(KEY, next(n1), VALUE, 5), asked.get(0));
        Outcomes outcomes = new Outcomes(true);
        five.nodes.getFirst().coordinator.read(KEY, two, outcomes);
        assertThat(outcomes.explanation().reasons())
                .anyMatch(reason -> reason.contains("looked at again"));
    }

    @Test
    void aRestampIsARoundOfItsOwn() {
        n2.skewMillis = 200;
        Timestamp later = next(n2);
        hold(Entry.value(KEY, later, VALUE, 3), n2);
        n3.condition = Condition.DOWN;
        cluster.delayNanos = () -> 1_000_000;
        Outcomes outcomes = put(TWO_OF_THREE, null);
        Timestamp written = ((Outcome.Written) outcomes.only()).timestamp();
        Explanation why = outcomes.explanation();
        assertThat(why.rounds()).extracting(Round::purpose).containsOnly(Purpose.WRITE).hasSize(2);
        Round first = why.rounds().getFirst();
        assertThat(told(first, n2)).isEqualTo(new Told.Keeps(later));
        assertThat(told(why.rounds().getLast(), n2)).isEqualTo(new Told.Keeps(written));
        assertThat(why.reasons().getFirst())
                .isEqualTo(
                        "n2 holds %s, newer than %s: the write was restamped above it"
                                .formatted(later, first.version()));
        assertThat(why.reasons()).contains("a hint is kept for n3 until it is back");
    }

    @Test
    void aWriteThatCannotBeStampedAnewSaysWhy() {
        n2.skewMillis = 10_000;
        Timestamp future = next(n2);
        hold(Entry.value(KEY, future, VALUE, 3), n1);
        n2.skewMillis = 0;
        Outcome.QuorumFailed failed = (Outcome.QuorumFailed) put(TWO_OF_THREE, null).only();
        assertThat(failed.explanation().reasons().getLast())
                .startsWith("it could not be restamped: ")
                .contains(future.toString());
    }

    @Test
    void aVersionThatTheClientGaveMayBeHidden() {
        Timestamp old = next(n1);
        Timestamp newer = next(n1);
        hold(Entry.value(KEY, newer, VALUE, 3), n1, n2, n3);
        Explanation why = put(TWO_OF_THREE, old).explanation();
        assertThat(why.reasons().getLast())
                .isEqualTo(
                        "n1 and n2 hold "
                                + newer
                                + ", which is newer and goes on hiding this one: the client gave"
                                + " the version, so it is kept");
    }

    @Test
    void anAtomicWriteTellsOfItsFirstRoundToo() {
        Entry held = Entry.value(KEY, next(n1), VALUE, 3);
        hold(held, n1, n2, n3);
        Outcomes outcomes = new Outcomes(true);
        n1.coordinator.linearizable().put(KEY, VALUE, null, TWO_OF_THREE, outcomes);
        Explanation why = outcomes.explanation();
        assertThat(why.rounds())
                .extracting(Round::purpose)
                .containsExactly(Purpose.READ, Purpose.WRITE);
        assertThat(why.reasons().getFirst())
                .isEqualTo(
                        "a majority was asked first: the write is stamped above the newest, "
                                + held.timestamp());

        n2.condition = Condition.DOWN;
        n3.condition = Condition.DOWN;
        Outcomes failed = new Outcomes(true);
        n1.coordinator.linearizable().delete(KEY, null, TWO_OF_THREE, failed);
        assertThat(failed.explanation().rounds())
                .extracting(Round::purpose)
                .containsExactly(Purpose.READ);
    }

    @Test
    void wantOfRoomIsToldAsWhatItIs() {
        n2.failure = new Failed(Failure.OVERLOADED, "busy");
        n3.failure = new Failed(Failure.OVERLOADED, "busy");
        Outcomes outcomes = read(TWO_OF_THREE);
        assertThat(outcomes.only()).isInstanceOf(Outcome.Refused.class);
        assertThat(told(outcomes.explanation().rounds().getFirst(), n3))
                .isEqualTo(new Told.Failed(Failure.OVERLOADED, "busy"));
        n1.store.failWrites(new StorageException.Full("no space", null));
        outcomes = put(TWO_OF_THREE, null);
        assertThat(outcomes.only()).isInstanceOf(Outcome.Refused.class);
        assertThat(outcomes.explanation().rounds()).hasSize(1);
    }

    @Test
    void whereNobodyWasAskedThereIsNothingToExplain() {
        n1.coordinator.drain();
        Outcomes outcomes = read(TWO_OF_THREE);
        assertThat(outcomes.only()).isInstanceOf(Outcome.Refused.class);
    }

    @Test
    void aRangeThatCannotBeReadIsExplained() {
        n2.condition = Condition.DOWN;
        n3.condition = Condition.DEAF;
        Outcome.@Nullable QuorumFailed[] failed = new Outcome.QuorumFailed[1];
        ScanStream scan = n1.coordinator.scan(KEY, null, TWO_OF_THREE, ScanScope.CLUSTER);
        scan.next(
                new ScanStream.ScanCallback() {
                    @Override
                    public void entries(List<Entry> entries) {}

                    @Override
                    public void end() {}

                    @Override
                    public void failed(Outcome.QuorumFailed outcome) {
                        failed[0] = outcome;
                    }
                });
        cluster.time.advanceMillis(5_000);
        Round range = Objects.requireNonNull(failed[0]).explanation().rounds().getFirst();
        assertThat(told(range, n1)).isEqualTo(new Told.Listed(0));
        assertThat(told(range, n2)).isEqualTo(new Told.Failed(Failure.UNREACHABLE, "down"));
        assertThat(((Told.Failed) told(range, n3)).reason()).isEqualTo(Failure.TIMEOUT);
        assertThat(reply(range, n3).micros()).isGreaterThan(100_000);
        scan.close();
    }
}
