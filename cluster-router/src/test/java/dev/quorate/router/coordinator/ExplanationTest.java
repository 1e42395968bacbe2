package dev.quorate.router.coordinator;

import static dev.quorate.router.coordinator.SimulatedCluster.hold;
import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import dev.quorate.router.conditional.ConditionalRequest;
import dev.quorate.router.coordinator.SimulatedCluster.Condition;
import dev.quorate.router.coordinator.SimulatedCluster.Node;
import dev.quorate.router.coordinator.operation.Explanation;
import dev.quorate.router.coordinator.operation.Explanation.Purpose;
import dev.quorate.router.coordinator.operation.Explanation.Reply;
import dev.quorate.router.coordinator.operation.Explanation.Result;
import dev.quorate.router.coordinator.operation.Explanation.Round;
import dev.quorate.router.coordinator.operation.NewValue;
import dev.quorate.router.coordinator.operation.Outcome;
import dev.quorate.router.coordinator.range.ScanScope;
import dev.quorate.router.coordinator.range.ScanStream;
import dev.quorate.router.message.ReplicaAnswer.Failed;
import dev.quorate.router.message.ReplicaAnswer.Failure;
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
        n1.coordinator.write(KEY, new NewValue(VALUE, null, null), version, spec, false, outcomes);
        cluster.time.advanceMillis(5_000);
        return outcomes;
    }

    private static Reply reply(Round round, Node node) {
        return round.replies().stream()
                .filter(reply -> reply.member().equals(node.member.name()))
                .findFirst()
                .orElseThrow();
    }

    private static Result result(Round round, Node node) {
        return reply(round, node).result();
    }

    @Test
    void aReadExplainsEachReplicasAnswerAndWhichWon() {
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
        assertThat(result(read, n1))
                .isEqualTo(new Result.Found(value.timestamp(), false, 3, 5, Entry.NEVER));
        assertThat(result(read, n2))
                .isEqualTo(
                        new Result.Found(
                                longer.timestamp(), false, 3, 300, longer.expiresAtMillis()));
        assertThat(result(read, n3))
                .isEqualTo(new Result.Found(tombstone.timestamp(), true, 2, 0, Entry.NEVER));
        assertThat(String.join("; ", why.reasons()))
                .contains("3 of 3 replicas answered", "and 3 had to")
                .contains("n3 holds the newest version, " + tombstone.timestamp())
                .contains("tombstone");
    }

    @Test
    void answersThatWereNotAwaitedAreMarked() {
        Entry value = Entry.value(KEY, next(n1), VALUE, 3);
        hold(value, n1, n2, n3);
        cluster.delayNanos = () -> 1_500_000;
        Outcomes outcomes = read(TWO_OF_THREE);
        Round read = outcomes.explanation().rounds().getFirst();
        assertThat(outcomes.explanation().rounds()).hasSize(1);
        assertThat(outcomes.explanation().reasons())
                .containsExactly(
                        "2 of 3 replicas answered (n1 and n2), and 2 had to: they have the same"
                                + " version");
        assertThat(reply(read, n1).micros()).isZero();
        assertThat(reply(read, n2).micros()).isEqualTo(3_000);
        assertThat(result(read, n3)).isEqualTo(Result.NotAsked.NOT_ASKED);

        n2.condition = Condition.DEAF; // so that n3 is asked too, after a while
        read = read(TWO_OF_THREE).explanation().rounds().getFirst();
        assertThat(reply(read, n2))
                .isEqualTo(new Reply("n2", Result.NotAwaited.NOT_AWAITED, Reply.NO_TIME));
        assertThat(result(read, n3)).isInstanceOf(Result.Found.class);

        n2.condition = Condition.UP;
        n3.condition = Condition.DEAF;
        outcomes = put(TWO_OF_THREE, null);
        Round write = outcomes.explanation().rounds().getFirst();
        assertThat(result(write, n2)).isInstanceOf(Result.Stored.class);
        assertThat(result(write, n3)).isEqualTo(Result.NotAwaited.NOT_AWAITED);

        cluster.delayNanos = () -> 0;
        outcomes = read(ONE_OF_THREE);
        read = outcomes.explanation().rounds().getFirst();
        assertThat(result(read, n2)).isEqualTo(Result.NotAsked.NOT_ASKED);
        assertThat(outcomes.explanation().reasons())
                .containsExactly("1 of 3 replicas answered (n1), and 1 had to");
    }

    @Test
    void aKeyThatNoReplicaHas() {
        Explanation why = read(TWO_OF_THREE).explanation();
        assertThat(result(why.rounds().getFirst(), n1)).isEqualTo(Result.Absent.ABSENT);
        assertThat(why.reasons()).contains("none of them has the key");
    }

    @ParameterizedTest
    @EnumSource(Failure.class)
    void eachKindOfFailureIsNamedWithItsDetail(Failure failure) {
        n2.failure = new Failed(failure, "the detail");
        Round read = read(TWO_OF_THREE).explanation().rounds().getFirst();
        assertThat(result(read, n2)).isEqualTo(new Result.Failed(failure, "the detail"));

        Explanation why = put(TWO_OF_THREE, null).explanation();
        assertThat(result(why.rounds().getFirst(), n2))
                .isEqualTo(new Result.Failed(failure, "the detail"));
    }

    @Test
    void aFailureOfTheLocalStoreIsExplained() {
        n1.store.failReads(new CorruptionException("table", 7, "a broken block"));
        n2.condition = Condition.DOWN;
        Outcomes outcomes = read(TWO_OF_THREE);
        Outcome.QuorumFailed failed = (Outcome.QuorumFailed) outcomes.only();
        assertThat(outcomes.explanation()).isEqualTo(failed.explanation());
        Round read = failed.explanation().rounds().getFirst();
        assertThat(((Result.Failed) result(read, n1)).reason()).isEqualTo(Failure.CORRUPT);
        assertThat(((Result.Failed) result(read, n1)).detail()).contains("a broken block");
        assertThat(((Result.Failed) result(read, n2)).reason()).isEqualTo(Failure.UNREACHABLE);
        assertThat(failed.explanation().reasons().getFirst())
                .isEqualTo("0 of 3 replicas answered, and 2 had to");
    }

    /** Also where nobody has asked: a failure is not to be repeated to be understood. */
    @Test
    void aFailureIsExplainedUnasked() {
        n2.condition = Condition.DOWN;
        n3.condition = Condition.DEAF;
        Outcomes outcomes = new Outcomes(false);
        n1.coordinator.write(
                KEY, new NewValue(VALUE, null, null), null, TWO_OF_THREE, false, outcomes);
        cluster.time.advanceMillis(5_000);
        Outcome.QuorumFailed failed = (Outcome.QuorumFailed) outcomes.only();
        Round write = failed.explanation().rounds().getFirst();
        Timestamp version = Objects.requireNonNull(failed.timestamp());
        assertThat(write.version()).isEqualTo(version);
        assertThat(result(write, n1)).isEqualTo(new Result.Stored(version));
        assertThat(((Result.Failed) result(write, n2)).reason()).isEqualTo(Failure.UNREACHABLE);
        assertThat(((Result.Failed) result(write, n3)).reason()).isEqualTo(Failure.TIMEOUT);
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
        assertThat(result(repair, n1)).isEqualTo(new Result.Stored(newer.timestamp()));
        assertThat(result(repair, n3)).isNotInstanceOf(Result.Stored.class);
        assertThat(why.reasons()).anyMatch(reason -> reason.startsWith("read repair: "));
    }

    @Test
    void anEntryThatItsOnlyOwnerHasNeedsNoRepair() {
        Node owner = cluster.asked(KEY, 1, n1).getFirst();
        hold(Entry.value(KEY, next(owner), VALUE, 1), owner);
        Outcomes outcomes = read(TWO_OF_THREE);
        assertThat(outcomes.only()).isInstanceOf(Outcome.Found.class);
        assertThat(outcomes.explanation().rounds()).hasSize(1);
        assertThat(outcomes.explanation().reasons().getLast())
                .isEqualTo(
                        "it was written to fewer replicas than this read asks, and these have it:"
                                + " there is nothing to repair");
        assertThat(n1.coordinator.figures().count("read_repairs", "mode", "before_the_answer"))
                .isZero();
    }

    @Test
    void aRepairThatFailsIsExplained() {
        hold(Entry.value(KEY, next(n1), VALUE, 3), n1);
        cluster.delayNanos = () -> 1_000_000;
        n2.store.failWrites(new StorageException.Full("no space", null));
        n3.store.failWrites(new StorageException.Full("no space", null));
        Outcome.QuorumFailed failed = (Outcome.QuorumFailed) read(TWO_OF_THREE).only();
        Round repair = failed.explanation().rounds().getLast();
        assertThat(((Result.Failed) result(repair, n2)).reason()).isEqualTo(Failure.DISK_FULL);
        assertThat(failed.explanation().reasons().getLast())
                .contains("could not be written to a majority");
    }

    @Test
    void belowAMajorityTheKeyIsRepairedLater() {
        QuorumSpec two = new QuorumSpec(2, 5);
        SimulatedCluster five = new SimulatedCluster(5);
        List<Node> asked = five.asked(KEY, 5, five.nodes.getFirst());
        hold(Entry.value(KEY, next(n1), VALUE, 5), asked.get(0));
        Outcomes outcomes = new Outcomes(true);
        five.nodes.getFirst().coordinator.read(KEY, two, outcomes);
        assertThat(outcomes.explanation().reasons())
                .anyMatch(reason -> reason.contains("repaired later"));
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
        assertThat(result(first, n2)).isEqualTo(new Result.Stored(later));
        assertThat(result(why.rounds().getLast(), n2)).isEqualTo(new Result.Stored(written));
        assertThat(why.reasons().getFirst())
                .isEqualTo(
                        "n2 holds %s, newer than %s: the write was restamped above it"
                                .formatted(later, first.version()));
        assertThat(why.reasons()).contains("a hint is stored for n3");
    }

    @Test
    void aWriteThatCannotBeRestampedExplainsWhy() {
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
                                + ", which is newer and supersedes this one: the client gave"
                                + " the version, so it does not change");
    }

    @Test
    void anAtomicWriteExplainsItsFirstRoundToo() {
        Entry held = Entry.value(KEY, next(n1), VALUE, 3);
        hold(held, n1, n2, n3);
        Outcomes outcomes = new Outcomes(true);
        n1.coordinator.write(
                KEY, new NewValue(VALUE, null, null), null, TWO_OF_THREE, true, outcomes);
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
        n1.coordinator.write(KEY, null, null, TWO_OF_THREE, true, failed);
        assertThat(failed.explanation().rounds())
                .extracting(Round::purpose)
                .containsExactly(Purpose.READ);
    }

    @Test
    void aFullDiskIsExplainedAsSuch() {
        n2.failure = new Failed(Failure.OVERLOADED, "busy");
        n3.failure = new Failed(Failure.OVERLOADED, "busy");
        Outcomes outcomes = read(TWO_OF_THREE);
        assertThat(outcomes.only()).isInstanceOf(Outcome.Refused.class);
        assertThat(result(outcomes.explanation().rounds().getFirst(), n3))
                .isEqualTo(new Result.Failed(Failure.OVERLOADED, "busy"));
        n1.store.failWrites(new StorageException.Full("no space", null));
        outcomes = put(TWO_OF_THREE, null);
        assertThat(outcomes.only()).isInstanceOf(Outcome.Refused.class);
        assertThat(outcomes.explanation().rounds()).hasSize(1);
    }

    @Test
    void withoutRoundsThereIsNothingToExplain() {
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
        assertThat(result(range, n1)).isEqualTo(new Result.Listed(0));
        assertThat(result(range, n2)).isEqualTo(new Result.Failed(Failure.UNREACHABLE, "down"));
        assertThat(((Result.Failed) result(range, n3)).reason()).isEqualTo(Failure.TIMEOUT);
        assertThat(reply(range, n3).micros()).isGreaterThan(100_000);
        scan.close();
    }

    private Outcomes writeIf(ConditionalRequest.Condition condition) {
        Outcomes outcomes = new Outcomes(true);
        n1.coordinator.writeIf(
                KEY, new NewValue(VALUE, null, null), condition, null, TWO_OF_THREE, outcomes);
        cluster.time.advanceMillis(5_000);
        return outcomes;
    }

    @Test
    void aConditionalWriteSaysWhatEachReplicaPromisedAndAccepted() {
        Outcomes created = writeIf(ConditionalRequest.Condition.Absent.ABSENT);
        Timestamp version = ((Outcome.Written) created.only()).timestamp();
        assertThat(created.explanation().reasons())
                .containsExactly(
                        "the condition held, and a majority of the owners accepted " + version);
        assertThat(created.explanation().rounds())
                .extracting(Round::purpose)
                .containsExactly(Purpose.PREPARE, Purpose.ACCEPT);
        assertThat(created.explanation().rounds().getLast().replies())
                .extracting(Reply::result)
                .contains(Result.Accepted.ACCEPTED);
        Outcomes refused = writeIf(ConditionalRequest.Condition.Absent.ABSENT);
        assertThat(refused.explanation().reasons())
                .containsExactly("the condition does not hold: the key has " + version);
    }

    /** Nobody else writes the key: nothing may say so. */
    @Test
    void aConditionalWriteThatNobodyAnswersNamesTheRealCause() {
        n2.condition = Condition.DEAF;
        n3.condition = Condition.DEAF;
        Outcomes outcomes = writeIf(ConditionalRequest.Condition.Absent.ABSENT);
        Outcome.NotJudged failed = (Outcome.NotJudged) outcomes.only();
        assertThat(failed.explanation().reasons())
                .containsExactly("in the last round 1 of 3 replicas answered before the deadline");
        assertThat(failed.explanation().rounds().getLast().replies()).hasSize(3);
    }

    @Test
    void aConditionalWriteThatIsChosenAndNotStoredSaysSo() {
        Outcomes first = writeIf(ConditionalRequest.Condition.Absent.ABSENT);
        Outcomes outcomes = new Outcomes(true);
        n3.condition = Condition.DOWN;
        n1.coordinator.writeIf(
                KEY,
                new NewValue(VALUE, null, null),
                new ConditionalRequest.Condition.Is(((Outcome.Written) first.only()).timestamp()),
                null,
                ALL_THREE,
                outcomes);
        cluster.time.advanceMillis(5_000);
        Outcome.Undecided undecided = (Outcome.Undecided) outcomes.only();
        assertThat(undecided.explanation().reasons())
                .containsExactly(
                        "a majority of the owners accepted the write, and fewer than 3 have stored"
                                + " it before the deadline");
        assertThat(undecided.failures()).extracting(f -> f.member()).contains("n3");
    }
}
