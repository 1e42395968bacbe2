package dev.quorate.router.coordinator;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import dev.quorate.router.Seed;
import dev.quorate.router.conditional.ConditionalRequest;
import dev.quorate.router.coordinator.SimulatedCluster.Condition;
import dev.quorate.router.coordinator.SimulatedCluster.Node;
import dev.quorate.router.coordinator.operation.NewValue;
import dev.quorate.router.coordinator.operation.Outcome;
import dev.quorate.router.message.ReplicaAnswer.Failed;
import dev.quorate.router.message.ReplicaAnswer.Failure;
import dev.quorate.router.message.ReplicaRequest;
import dev.quorate.router.quorum.QuorumSpec;
import dev.quorate.storage.Entry;
import dev.quorate.storage.EntryCursor;
import dev.quorate.storage.Timestamp;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Compare-and-set through real coordinators and replicas, on simulated time. */
class ConditionalWritesTest {

    private static final byte[] KEY = "key".getBytes(US_ASCII);
    private static final NewValue EXPIRING = new NewValue(KEY, Duration.ofMinutes(10), null);
    private static final QuorumSpec TWO_OF_THREE = new QuorumSpec(2, 3);
    private static final ConditionalRequest.Condition ABSENT =
            ConditionalRequest.Condition.Absent.ABSENT;
    private static final ConditionalRequest.Condition PRESENT =
            ConditionalRequest.Condition.Present.PRESENT;

    private final SimulatedCluster cluster = new SimulatedCluster(3);
    private final Node n1 = cluster.nodes.get(0);
    private final Node n2 = cluster.nodes.get(1);
    private final Node n3 = cluster.nodes.get(2);

    private static ConditionalRequest.Condition is(Timestamp version) {
        return new ConditionalRequest.Condition.Is(version);
    }

    private Outcome write(Node by, ConditionalRequest.Condition condition, @Nullable String value) {
        return write(by, condition, value, null);
    }

    private Outcome write(
            Node by,
            ConditionalRequest.Condition condition,
            @Nullable String value,
            @Nullable Timestamp version) {
        Outcomes outcomes = new Outcomes();
        begin(by, condition, value, version, outcomes);
        for (int i = 0; i < 5_000 && outcomes.isPending(); i++) {
            cluster.time.advanceMillis(1);
        }
        return outcomes.only();
    }

    private static void begin(
            Node by,
            ConditionalRequest.Condition condition,
            @Nullable String value,
            @Nullable Timestamp version,
            Outcomes outcomes) {
        NewValue put = value == null ? null : new NewValue(value.getBytes(US_ASCII), null, null);
        by.coordinator.writeIf(KEY, put, condition, version, TWO_OF_THREE, outcomes);
    }

    private Timestamp written(
            Node by, ConditionalRequest.Condition condition, @Nullable String value) {
        return version(write(by, condition, value));
    }

    private static Timestamp version(Outcome outcome) {
        assertThat(outcome).isInstanceOf(Outcome.Written.class);
        return ((Outcome.Written) outcome).timestamp();
    }

    private Timestamp put(Node by, String value) {
        Outcomes outcomes = new Outcomes();
        by.coordinator.write(
                KEY,
                new NewValue(value.getBytes(US_ASCII), null, null),
                null,
                TWO_OF_THREE,
                false,
                outcomes);
        cluster.time.advanceMillis(5_000);
        return version(outcomes.only());
    }

    private @Nullable String read(Node by) {
        Outcomes outcomes = new Outcomes();
        by.coordinator.read(KEY, TWO_OF_THREE, outcomes);
        cluster.time.advanceMillis(5_000);
        return outcomes.only() instanceof Outcome.Found(var entry)
                ? new String(entry.value(), US_ASCII)
                : null;
    }

    @Test
    void aKeyIsCreatedOnce() {
        Timestamp version = written(n1, ABSENT, "a");
        assertThat(write(n2, ABSENT, "b")).isEqualTo(new Outcome.Unmet(version));
        assertThat(read(n3)).isEqualTo("a");
    }

    @Test
    void eachWriteReplacesTheVersionThatItNames() {
        Timestamp first = put(n1, "a");
        Timestamp second = written(n2, is(first), "b");
        assertThat(second.root()).isEqualTo(first);
        assertThat(second).isGreaterThan(first);
        assertThat(write(n3, is(first), "c")).isEqualTo(new Outcome.Unmet(second));
        Timestamp third = written(n3, is(second), null);
        assertThat(read(n1)).isNull();
        assertThat(write(n1, is(third), "d")).isEqualTo(new Outcome.Unmet(null));
        assertThat(write(n1, PRESENT, "d")).isEqualTo(new Outcome.Unmet(null));
        written(n1, ABSENT, "d");
        written(n1, PRESENT, "e");
        assertThat(read(n2)).isEqualTo("e");
    }

    /**
     * Whenever the clock of the coordinator is set: before the first question, between two of them,
     * or before the last answer, after which no replica sees the clock. One write asks for
     * promises, another reads first because the key is contended, and a third waits for those
     * before it.
     */
    @Test
    void aClockThatIsSetAheadExpiresNoValue() {
        for (boolean isContended : new boolean[] {false, true}) {
            for (int millis = 0; millis < 16; millis++) {
                SimulatedCluster fresh = new SimulatedCluster(3);
                fresh.delayNanos = () -> 1_000_000;
                Node by = fresh.nodes.getFirst();
                Outcomes before = new Outcomes();
                by.coordinator.write(KEY, EXPIRING, null, TWO_OF_THREE, false, before);
                fresh.time.advanceMillis(100);
                version(before.only());
                if (isContended) {
                    Outcomes unmet = new Outcomes();
                    begin(by, ABSENT, "a", null, unmet);
                    fresh.time.advanceMillis(100);
                    assertThat(unmet.only()).isInstanceOf(Outcome.Unmet.class);
                }
                Outcomes first = new Outcomes();
                Outcomes second = new Outcomes();
                by.coordinator.writeIf(KEY, EXPIRING, PRESENT, null, TWO_OF_THREE, first);
                by.coordinator.writeIf(KEY, EXPIRING, PRESENT, null, TWO_OF_THREE, second);
                fresh.time.advanceMillis(millis);
                by.skewMillis = TimeUnit.DAYS.toMillis(66);
                fresh.time.advanceMillis(5_000);
                String when = "contended: " + isContended + ", after " + millis + " ms";
                assertThat(first.only()).as(when).isNotInstanceOf(Outcome.Unmet.class);
                assertThat(second.only()).as(when).isNotInstanceOf(Outcome.Unmet.class);
            }
        }
    }

    @Test
    void anAcknowledgedPlainWriteIsNeverReplacedByAWriteThatNamesAnOlderVersion() {
        Timestamp first = written(n1, ABSENT, "a");
        n1.condition = Condition.DOWN;
        Timestamp plain = put(n2, "plain");
        n1.condition = Condition.UP;
        // In the lead, since it wrote last.
        assertThat(write(n1, is(first), "b")).isEqualTo(new Outcome.Unmet(plain));
        assertThat(read(n1)).isEqualTo("plain");
    }

    /**
     * A lead that one replica has promised is no lead among three. The other coordinator's clock is
     * behind, so its ballots are before that lead's.
     */
    @Test
    void ofTwoWritesThatNameOneVersionOneIsMadeWhateverWasWrittenAtOneReplicaBefore() {
        for (int offset = 0; offset < 12; offset++) {
            SimulatedCluster fresh = new SimulatedCluster(3);
            List<Node> owners = fresh.asked(KEY, 3, fresh.nodes.getFirst());
            Node first = fresh.asked(KEY, 1, owners.get(0)).getFirst();
            Node behind = owners.stream().filter(node -> node != first).toList().getFirst();
            behind.skewMillis = -300;
            Outcomes base = new Outcomes();
            first.coordinator.write(
                    KEY, new NewValue(KEY, null, null), null, new QuorumSpec(3, 3), false, base);
            fresh.time.advanceMillis(100);
            Outcomes alone = new Outcomes();
            first.coordinator.writeIf(
                    KEY,
                    new NewValue(KEY, null, null),
                    is(version(base.only())),
                    null,
                    new QuorumSpec(1, 1),
                    alone);
            Timestamp version = version(alone.only());
            Entry copy = Objects.requireNonNull(first.held(KEY));
            owners.forEach(node -> node.hold(copy));
            fresh.delayNanos = () -> 1_000_000;
            Outcomes outcomes = new Outcomes();
            Outcomes others = new Outcomes();
            behind.coordinator.writeIf(
                    KEY, new NewValue(KEY, null, null), is(version), null, TWO_OF_THREE, others);
            fresh.time.advance(Duration.ofNanos(offset * 500_000L));
            first.coordinator.writeIf(
                    KEY, new NewValue(KEY, null, null), is(version), null, TWO_OF_THREE, outcomes);
            fresh.time.advanceMillis(5_000);
            assertThat(List.of(outcomes.only(), others.only()))
                    .as("%d half milliseconds apart", offset)
                    .filteredOn(Outcome.Written.class::isInstance)
                    .hasSizeLessThanOrEqualTo(1);
        }
    }

    /** In the lead n1 and n2 accept it; then n1 and n3 answer, where a plain write came since. */
    @Test
    void aReplicaThatHadNoRoomForItsAnswerMayHaveAccepted() {
        Timestamp first = written(n1, ABSENT, "a");
        n2.condition = Condition.CROWDED;
        n3.failure = new Failed(Failure.BREAKER_OPEN, "down");
        Outcomes outcomes = new Outcomes();
        begin(n1, is(first), "b", null, outcomes);
        n2.condition = Condition.DOWN;
        n3.failure = null;
        n3.hold(Entry.value(KEY, Objects.requireNonNull(n3.clock.next()), KEY, 3));
        cluster.time.advanceMillis(5_000);
        assertThat(outcomes.only()).isInstanceOf(Outcome.Undecided.class);
    }

    @Test
    void oneReplicaMayBeDownAndNotTwo() {
        n3.condition = Condition.DOWN;
        Timestamp version = written(n1, ABSENT, "a");
        n2.condition = Condition.DOWN;
        n3.condition = Condition.UP;
        n1.condition = Condition.DOWN;
        assertThat(write(n3, is(version), "b")).isInstanceOf(Outcome.NotJudged.class);
        n2.condition = Condition.UP;
        written(n3, is(version), "c");
        assertThat(read(n2)).isEqualTo("c");
    }

    @Test
    void anUndecidedWriteSentAgainIsMadeOnce() {
        Timestamp first = put(n1, "a");
        n2.condition = Condition.MUTE;
        n3.condition = Condition.MUTE;
        Timestamp origin = Timestamp.of(cluster.time.wallMillis(), 0, 7);
        Outcome outcome = write(n1, is(first), "b", origin);
        // The answers to its first question were lost already: but an earlier attempt may have
        // gone further.
        assertThat(outcome).isInstanceOf(Outcome.Undecided.class);
        n2.condition = Condition.UP;
        n3.condition = Condition.UP;
        Timestamp second = version(write(n3, is(first), "b", origin));
        written(n2, is(second), "c");
        assertThat(write(n1, is(first), "b", origin)).isEqualTo(new Outcome.Written(second));
        assertThat(write(n2, is(first), "b", origin)).isEqualTo(new Outcome.Written(second));
        assertThat(read(n1)).isEqualTo("c");
    }

    /** An earlier attempt may have been made: nobody can say that nothing was changed. */
    @Test
    void aRetryThatFindsNoMajorityIsUndecided() {
        Timestamp origin = Timestamp.of(cluster.time.wallMillis(), 0, 7);
        n2.condition = Condition.DOWN;
        n3.condition = Condition.DOWN;
        assertThat(write(n1, ABSENT, "a", origin)).isInstanceOf(Outcome.Undecided.class);
        assertThat(write(n1, ABSENT, "a")).isInstanceOf(Outcome.NotJudged.class);
    }

    @Test
    void aRetryWhoseRecordsMayHaveExpiredIsTooOld() {
        Timestamp origin = Timestamp.of(cluster.time.wallMillis() - 10_000, 0, 7);
        cluster.nodes.forEach(node -> node.oldestWriteMillis = cluster.time.wallMillis() - 5_000);
        assertThat(write(n1, ABSENT, "a", origin)).isInstanceOf(Outcome.TooOld.class);
        assertThat(read(n1)).isNull();
    }

    private Timestamp now() {
        return Timestamp.of(cluster.time.wallMillis(), 1, 7);
    }

    private Outcome plain(Node by, String value, Timestamp version) {
        Outcomes outcomes = new Outcomes();
        by.coordinator.write(
                KEY,
                new NewValue(value.getBytes(US_ASCII), null, null),
                version,
                TWO_OF_THREE,
                false,
                outcomes);
        cluster.time.advanceMillis(5_000);
        return outcomes.only();
    }

    /** Whatever the first attempt was, and whichever of its parts differs. */
    @Test
    void aRetryWithAnythingElseIsRefusedAndChangesNothing() {
        Timestamp base = put(n1, "base");
        cluster.time.advanceMillis(10);
        Timestamp origin = now();
        Class<?> taken = Outcome.VersionTaken.class;
        Timestamp made = version(write(n1, is(base), "a", origin));
        assertThat(write(n2, is(base), "b", origin)).isInstanceOf(taken);
        assertThat(write(n2, is(base), null, origin)).isInstanceOf(taken);
        assertThat(write(n2, PRESENT, "a", origin)).isInstanceOf(taken);
        assertThat(write(n2, is(made), "a", origin)).isInstanceOf(taken);
        for (NewValue other :
                List.of(
                        new NewValue("a".getBytes(US_ASCII), Duration.ofHours(1), null),
                        new NewValue("a".getBytes(US_ASCII), null, "text/plain"))) {
            Outcomes outcomes = new Outcomes();
            n3.coordinator.writeIf(KEY, other, is(base), origin, TWO_OF_THREE, outcomes);
            cluster.time.advanceMillis(5_000);
            assertThat(outcomes.only()).isInstanceOf(taken);
        }
        Outcomes ofAll = new Outcomes();
        n3.coordinator.writeIf(
                KEY,
                new NewValue("a".getBytes(US_ASCII), null, null),
                is(base),
                origin,
                new QuorumSpec(1, 1),
                ofAll);
        cluster.time.advanceMillis(5_000);
        assertThat(ofAll.only()).as("at another from").isInstanceOf(taken);
        assertThat(plain(n2, "a", origin)).isInstanceOf(Outcome.VersionTaken.class);
        assertThat(write(n3, is(base), "a", origin)).isEqualTo(new Outcome.Written(made));
        assertThat(read(n2)).isEqualTo("a");
    }

    /** A step names no member, and a value is known by its version. */
    @Test
    void noTwoMembersTakeOneStep() {
        Timestamp first = written(n1, ABSENT, "a");
        Timestamp second = written(n2, is(first), "b");
        Timestamp third = written(n3, is(second), "c");
        assertThat(List.of(first, second, third))
                .extracting(version -> version.step() % 64)
                .containsExactlyInAnyOrder(0L, 1L, 2L);
        assertThat(written(n1, is(third), "d").step() % 64).isEqualTo(first.step() % 64);
    }

    /** Entries and records follow the replication factor, whether the client names it or not. */
    @Test
    void theReplicationFactorIsStoredAsTheDefault() {
        written(n1, ABSENT, "a");
        assertThat(Objects.requireNonNull(n2.held(KEY)).from()).isZero();
        int records = 0;
        try (EntryCursor cursor = n2.records.scan(new byte[0], null)) {
            while (cursor.next()) {
                assertThat(cursor.entry().from()).isZero();
                records++;
            }
        }
        assertThat(records).isPositive();

        byte[] other = "other".getBytes(US_ASCII);
        Node owner = cluster.asked(other, 1, n1).getFirst();
        owner.coordinator.write(
                other,
                new NewValue(new byte[1], null, null),
                null,
                new QuorumSpec(1, 1),
                false,
                new Outcomes());
        cluster.time.advanceMillis(5_000);
        assertThat(Objects.requireNonNull(owner.held(other)).from()).isEqualTo(1);
    }

    /** The version that the client is told has a digest of the request, and no record has. */
    @Test
    void soIsARetryWithAVersionThatANodeGave() {
        Timestamp base = written(n1, ABSENT, "base");
        n2.condition = Condition.MUTE;
        n3.condition = Condition.MUTE;
        Outcome outcome = write(n1, is(base), "a");
        assertThat(outcome).isInstanceOf(Outcome.Undecided.class);
        Timestamp given = ((Outcome.Undecided) outcome).origin();
        n2.condition = Condition.UP;
        n3.condition = Condition.UP;
        Class<?> taken = Outcome.VersionTaken.class;
        assertThat(write(n2, is(base), "b", given)).isInstanceOf(taken);
        assertThat(write(n2, is(base), null, given)).isInstanceOf(taken);
        assertThat(write(n2, PRESENT, "a", given)).isInstanceOf(taken);
        assertThat(plain(n2, "a", given)).isInstanceOf(taken);
        assertThat(write(n2, is(base), "b", given.root())).isInstanceOf(taken);
        Timestamp made = version(write(n2, is(base), "a", given));
        assertThat(write(n3, is(made), "a", given)).isInstanceOf(taken);
        written(n3, is(made), "c");
        assertThat(write(n1, is(base), "a", given)).isEqualTo(new Outcome.Written(made));
        assertThat(write(n1, is(base), "b", given.root())).isInstanceOf(taken);
        assertThat(read(n2)).isEqualTo("c");
    }

    @Test
    void soIsARetryOfADeleteAndOneWithoutANamedVersion() {
        Timestamp base = put(n1, "base");
        cluster.time.advanceMillis(10);
        Timestamp origin = now();
        version(write(n1, PRESENT, null, origin));
        Class<?> taken = Outcome.VersionTaken.class;
        assertThat(write(n2, PRESENT, "b", origin)).isInstanceOf(taken);
        assertThat(write(n2, ABSENT, "b", origin)).isInstanceOf(taken);
        assertThat(write(n2, is(base), "b", origin)).isInstanceOf(taken);
        assertThat(read(n2)).isNull();
    }

    @Test
    void aPlainWriteIsNotSentAgainWithACondition() {
        Timestamp base = put(n1, "base");
        cluster.time.advanceMillis(10);
        Timestamp origin = now();
        version(plain(n1, "a", origin));
        Class<?> taken = Outcome.VersionTaken.class;
        assertThat(write(n2, is(base), "a", origin)).isInstanceOf(taken);
        assertThat(write(n2, PRESENT, "b", origin)).isInstanceOf(taken);
        assertThat(read(n2)).isEqualTo("a");
    }

    /** A write that nobody sends again is finished, or is not: but not left open. */
    @Test
    void whatAMinorityHasAcceptedIsDecidedInTheBackground() {
        Timestamp first = written(n1, ABSENT, "a");
        n2.condition = Condition.DOWN;
        n3.condition = Condition.DOWN;
        assertThat(write(n1, is(first), "b")).isInstanceOf(Outcome.Undecided.class);
        n2.condition = Condition.UP;
        n3.condition = Condition.UP;
        assertThat(read(n2)).isEqualTo("a");
        n1.coordinator.decide(KEY, 3);
        cluster.time.advanceMillis(5_000);
        assertThat(read(n2)).isEqualTo("b");
    }

    /** Whoever waits has seen the delete: what the write before it makes was superseded then. */
    @Test
    void whoeverWaitsIsNotAnsweredWithWhatWasDeletedBeforeItCame() {
        written(n1, ABSENT, "a");
        put(n2, "plain"); // the lead is lost
        cluster.delayNanos = () -> 1_000_000;
        Outcomes first = new Outcomes();
        begin(n1, PRESENT, "b", null, first);
        List<Node> stored = List.of(n1, n2, n3);
        while (stored.stream().noneMatch(node -> isEntry(node, "b"))) {
            cluster.delayNanos = () -> 20_000_000;
            cluster.time.advance(Duration.ofNanos(100_000));
            cluster.delayNanos = () -> 1_000_000;
        }
        cluster.delayNanos = () -> 100_000;
        Outcomes delete = new Outcomes();
        n2.coordinator.write(KEY, null, null, TWO_OF_THREE, false, delete);
        cluster.time.advanceMillis(2);
        version(delete.only());
        Outcomes second = new Outcomes();
        begin(n1, ABSENT, "c", null, second);
        cluster.time.advanceMillis(2);
        assertThat(first.isPending()).isTrue();
        cluster.time.advanceMillis(5_000);
        version(first.only());
        version(second.only());
        assertThat(read(n3)).isEqualTo("c");
    }

    private static boolean isEntry(Node node, String value) {
        Entry entry = node.held(KEY);
        return entry != null
                && !entry.isTombstone()
                && new String(entry.value(), US_ASCII).equals(value);
    }

    @Test
    void theNodeThatWroteLastAsksForNoPromise() {
        Timestamp first = written(n1, ABSENT, "a");
        cluster.nodes.forEach(node -> node.requests.clear());
        Timestamp second = written(n1, is(first), "b");
        assertThat(n2.requests).extracting(ConditionalWritesTest::kind).containsExactly("Accept");
        written(n2, is(second), "c");
        n2.requests.clear();
        assertThat(write(n1, is(second), "d")).isInstanceOf(Outcome.Unmet.class);
        assertThat(n2.requests).extracting(ConditionalWritesTest::kind).contains("Prepare");
    }

    /** Neither its own disk nor the two others are needed. */
    @Test
    void aNodeWhoseOwnDiskIsSlowGoesOnWithoutIt() {
        Timestamp first = written(n1, ABSENT, "a");
        n1.records.holdLog();
        Outcomes outcomes = new Outcomes();
        begin(n1, is(first), "b", null, outcomes);
        cluster.time.advanceMillis(50);
        assertThat(outcomes.isPending()).isTrue();
        cluster.time.advanceMillis(100);
        version(outcomes.only());
        assertThat(read(n2)).isEqualTo("b");
        n1.records.releaseLog();
        assertThat(write(n1, is(first), "c")).isInstanceOf(Outcome.Unmet.class);
    }

    /** What decides is not known to the third replica, which gets the value as a copy. */
    @Test
    void whoeverCannotDecideIsSentTheValue() {
        Timestamp first = written(n1, ABSENT, "a");
        n3.condition = Condition.MUTE;
        written(n1, is(first), "b");
        n3.condition = Condition.UP;
        Timestamp second = written(n1, PRESENT, "c");
        assertThat(n3.held(KEY).timestamp()).isEqualTo(second);
        n2.store.put(Entry.value(KEY, new Timestamp(second.hybrid() + 1, 9), new byte[1], 3));
        n2.requests.clear();
        n3.requests.clear();
        assertThat(write(n1, is(second), "d")).isInstanceOf(Outcome.Written.class);
        assertThat(n2.requests).extracting(ConditionalWritesTest::kind).endsWith("Write");
        assertThat(n3.requests).extracting(ConditionalWritesTest::kind).doesNotContain("Write");
    }

    @Test
    void aWriteThatEndedDuringItsPauseLeavesTheLeadToTheNext() {
        Timestamp first = put(n1, "a");
        n2.condition = Condition.DOWN;
        n3.condition = Condition.DOWN;
        assertThat(write(n1, PRESENT, "b")).isInstanceOf(Outcome.NotJudged.class);
        n2.condition = Condition.UP;
        n3.condition = Condition.UP;
        Timestamp second = written(n1, is(first), "c");
        cluster.time.advanceMillis(500);
        n2.requests.clear();
        written(n1, is(second), "d");
        assertThat(n2.requests).extracting(ConditionalWritesTest::kind).containsExactly("Accept");
    }

    /** By a clock that stands still its turn never comes. */
    @Test
    void aNodeWaitsForOneTurnAtMost() {
        cluster.delayNanos = () -> 500_000;
        written(n1, ABSENT, "a");
        for (int i = 0; i < 8; i++) {
            begin(n1, PRESENT, "b", null, new Outcomes());
            begin(n2, PRESENT, "c", null, new Outcomes());
            cluster.time.advanceMillis(300 + 17 * i);
            Outcomes outcomes = new Outcomes();
            begin(n1, PRESENT, "d", null, outcomes);
            for (int waited = 0; waited < 200; waited++) {
                n1.skewMillis--;
                cluster.time.advanceMillis(1);
            }
            n1.skewMillis = 0;
            assertThat(outcomes.isPending()).isFalse();
        }
    }

    /** It neither takes the lead from whoever has it nor waits for a disk. */
    @Test
    void aWriteThatComesTooLateIsRefusedByARead() {
        Timestamp first = written(n1, ABSENT, "a");
        Timestamp second = written(n1, is(first), "b");
        cluster.nodes.forEach(node -> node.requests.clear());
        assertThat(write(n1, is(first), "c")).isEqualTo(new Outcome.Unmet(second));
        assertThat(n2.requests)
                .extracting(ConditionalWritesTest::kind)
                .isNotEmpty()
                .allMatch(kind -> kind.startsWith("Read"));
        n2.requests.clear();
        Timestamp third = written(n1, is(second), "d");
        assertThat(n2.requests).extracting(ConditionalWritesTest::kind).containsExactly("Accept");
        // Others have written since: a read shows it, whatever the lead says.
        Timestamp plain = put(n2, "plain");
        assertThat(write(n1, is(second), "e")).isEqualTo(new Outcome.Unmet(plain));
        assertThat(write(n1, is(third), "e")).isEqualTo(new Outcome.Unmet(plain));
    }

    private static String kind(ReplicaRequest request) {
        return request instanceof ReplicaRequest.ToAcceptor asked
                ? asked.question().getClass().getSimpleName()
                : request.getClass().getSimpleName();
    }

    /**
     * Sixteen clients count, each by a read and a write that names what was read, through all
     * nodes, while messages are delayed and nodes come and go. What stays undecided is sent again
     * until it is known. The value is the number of writes that were made.
     */
    @Test
    void aCounterOfManyClientsIsExact() {
        RandomGenerator random = Seed.random("ConditionalWritesTest.aCounterOfManyClientsIsExact");
        cluster.delayNanos = () -> random.nextLong(3_000_000);
        List<Counter> counters = new ArrayList<>();
        for (int i = 0; i < 16; i++) {
            counters.add(new Counter(random));
        }
        for (int i = 0; i < 4_000; i++) {
            Node node = cluster.nodes.get(random.nextInt(3));
            switch (random.nextInt(60)) {
                case 0 -> node.condition = Condition.DOWN;
                case 1 -> node.condition = Condition.DEAF;
                case 2 -> node.condition = Condition.MUTE;
                case 3, 4, 5, 6, 7, 8 -> node.condition = Condition.UP;
                default -> {}
            }
            counters.get(random.nextInt(counters.size())).step();
            cluster.time.advanceMillis(random.nextInt(5));
        }
        cluster.nodes.forEach(node -> node.condition = Condition.UP);
        for (int i = 0; i < 500 && counters.stream().anyMatch(Counter::isUndecided); i++) {
            counters.stream().filter(Counter::isUndecided).forEach(Counter::finish);
            cluster.time.advanceMillis(100);
        }
        long made = counters.stream().mapToInt(counter -> counter.made).sum();
        assertThat(counters).noneMatch(Counter::isUndecided);
        assertThat(made).isGreaterThan(10);
        assertThat(read(n1)).isEqualTo(Long.toString(made));
    }

    /** A client that reads, adds one, and writes if nobody else has. */
    private final class Counter {

        private final RandomGenerator random;
        private int made;
        private @Nullable Outcomes reading;
        private @Nullable Outcomes writing;

        // The write that is under way or undecided.
        private ConditionalRequest.Condition condition = ABSENT;
        private String value = "";
        private @Nullable Timestamp origin;

        Counter(RandomGenerator random) {
            this.random = random;
        }

        boolean isUndecided() {
            return writing != null || origin != null;
        }

        void step() {
            Outcomes read = reading;
            if (isUndecided()) {
                finish();
            } else if (read == null) {
                reading = new Outcomes();
                node().coordinator.read(KEY, TWO_OF_THREE, reading);
            } else if (!read.isPending()) {
                reading = null;
                add(read.only());
            }
        }

        private Node node() {
            return cluster.nodes.get(random.nextInt(3));
        }

        private void add(Outcome found) {
            switch (found) {
                case Outcome.Found(var entry) -> {
                    condition = is(entry.timestamp());
                    value = Long.toString(Long.parseLong(new String(entry.value(), US_ASCII)) + 1);
                }
                case Outcome.Missing missing -> {
                    condition = ABSENT;
                    value = "1";
                }
                case Outcome other -> {
                    return;
                }
            }
            send();
        }

        private void send() {
            writing = new Outcomes();
            begin(node(), condition, value, origin, writing);
        }

        /** Sends again what is undecided. */
        void finish() {
            Outcomes wrote = writing;
            if (wrote == null) {
                send();
            } else if (!wrote.isPending()) {
                writing = null;
                switch (wrote.only()) {
                    case Outcome.Written written -> {
                        made++;
                        origin = null;
                    }
                    case Outcome.Unmet unmet -> origin = null;
                    case Outcome.Undecided undecided -> origin = undecided.origin();
                    // Of a first attempt: nothing was proposed. Of another one: nothing is known.
                    case Outcome other -> {}
                }
            }
        }
    }
}
