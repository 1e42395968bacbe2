package dev.quorate.router.replica;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import dev.quorate.router.clock.HybridClock;
import dev.quorate.router.conditional.AcceptorAnswer;
import dev.quorate.router.conditional.Current;
import dev.quorate.router.conditional.Proposal;
import dev.quorate.router.conditional.Question;
import dev.quorate.router.message.AnswerCallback;
import dev.quorate.router.message.ReplicaAnswer;
import dev.quorate.router.message.ReplicaAnswer.Failure;
import dev.quorate.router.message.ReplicaRequest;
import dev.quorate.router.runtime.Deadlines;
import dev.quorate.router.runtime.ManualTime;
import dev.quorate.router.topology.LiveTopology;
import dev.quorate.router.topology.Member;
import dev.quorate.router.topology.Topology;
import dev.quorate.storage.Entry;
import dev.quorate.storage.EntryCursor;
import dev.quorate.storage.Lookup;
import dev.quorate.storage.StorageException;
import dev.quorate.storage.Timestamp;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** What a replica promises and accepts is durable before it says so. */
class AcceptorTest {

    private static final byte[] KEY = "key".getBytes(US_ASCII);
    private static final Member MEMBER = new Member("n1", URI.create("http://localhost:8080"));

    private final Topology first = Topology.parse("n1=http://a:1").in(new UUID(1, 2));
    private final LiveTopology live = new LiveTopology(first);
    private final ManualTime time = new ManualTime();
    private final MemoryStore data = new MemoryStore();
    private final MemoryStore records = new MemoryStore();
    private final Queue<Runnable> blocking = new ArrayDeque<>();
    private final LocalReplica replica = replica();
    private final List<ReplicaAnswer> answers = new ArrayList<>();
    private final Timestamp base = at(1);

    private LocalReplica replica() {
        HybridClock clock = HybridClock.volatileClock(time, 1, Duration.ofSeconds(1));
        Deadlines deadlines = new Deadlines(time, time);
        return PlainReplica.of(MEMBER, data, clock, time, deadlines, blocking::add)
                .withRecords(
                        records,
                        MemoryStore.both(records, data),
                        Duration.ofHours(4),
                        Duration.ofSeconds(1),
                        live);
    }

    private Timestamp at(int counter) {
        return Timestamp.of(time.wallMillis(), counter, 1);
    }

    private void ask(LocalReplica asked, Question question) {
        ask(asked, 3, question);
    }

    private void ask(LocalReplica asked, int from, Question question) {
        asked.ask(
                new ReplicaRequest.ToAcceptor(KEY, from, question),
                time.nanos() + 1_000_000_000,
                answers::add);
    }

    private void ask(Question question) {
        ask(replica, question);
    }

    private Question.Prepare prepare(int ballot) {
        return new Question.Prepare(at(ballot), Set.of(), Timestamp.ZERO);
    }

    private Question.Accept accept(int ballot) {
        Timestamp result = new Timestamp(base.hybrid(), base.node(), at(ballot).hybrid());
        Current value = new Current(result, "new".getBytes(US_ASCII), Entry.NEVER, 3, null);
        return new Question.Accept(
                at(ballot),
                new Proposal(at(ballot), true, base, false, false, result, value, 0),
                false);
    }

    private void askIn(Topology planned, ReplicaRequest request) {
        replica.ask(
                request,
                time.nanos() + 1_000_000_000,
                new AnswerCallback() {
                    @Override
                    public void answered(ReplicaAnswer answer) {
                        answers.add(answer);
                    }

                    @Override
                    public Topology topology() {
                        return planned;
                    }
                });
    }

    /** What it took in an earlier epoch must be among what it is compared with. */
    @Test
    void itIsComparedOnceTheQuestionsOfEarlierEpochsAreOver() {
        ReplicaRequest compare = new ReplicaRequest.Compare(7, 1, 0, 0, KEY, null, 1);
        records.holdLog();
        askIn(first, new ReplicaRequest.ToAcceptor(KEY, 3, prepare(5)));
        live.install(first.next(first.members()));
        askIn(live.current(), compare);
        assertThat(answers)
                .singleElement()
                .satisfies(
                        answer ->
                                assertThat(answer.failure().detail())
                                        .contains("requests of an earlier epoch"));
        records.releaseLog();
        askIn(live.current(), compare);
        assertThat(answers.getLast().failure().detail()).doesNotContain("earlier epoch");
    }

    @Test
    void aQuestionOfAnotherEpochIsRefused() {
        live.install(first.next(first.members()));
        askIn(first, new ReplicaRequest.ToAcceptor(KEY, 3, prepare(5)));
        assertThat(answers)
                .singleElement()
                .satisfies(
                        answer -> assertThat(answer.failure().reason()).isEqualTo(Failure.STALE));
        askIn(live.current(), new ReplicaRequest.ToAcceptor(KEY, 3, prepare(4)));
        assertThat(last()).isInstanceOf(AcceptorAnswer.Promised.class);
    }

    private AcceptorAnswer last() {
        assertThat(answers.getLast()).isInstanceOf(ReplicaAnswer.FromAcceptor.class);
        return ((ReplicaAnswer.FromAcceptor) answers.getLast()).answer();
    }

    private void hold(Timestamp version) {
        data.put(Entry.value(KEY, version, "old".getBytes(US_ASCII), 3));
    }

    @Test
    void anAnswerWaitsForTheLog() {
        records.holdLog();
        ask(prepare(5));
        ask(prepare(4));
        assertThat(answers).isEmpty();
        records.releaseLog();
        assertThat(answers).hasSize(2);
        assertThat(((ReplicaAnswer.FromAcceptor) answers.getFirst()).answer())
                .isInstanceOf(AcceptorAnswer.Promised.class);
        assertThat(last()).isEqualTo(new AcceptorAnswer.Outbid(at(5)));
    }

    @Test
    void promisesAndProposalsOutliveTheProcess() {
        hold(base);
        ask(prepare(5));
        ask(accept(5));
        assertThat(last()).isEqualTo(AcceptorAnswer.Done.DONE);
        LocalReplica restarted = replica();
        ask(restarted, prepare(4));
        assertThat(last()).isEqualTo(new AcceptorAnswer.Outbid(at(5)));
        ask(restarted, prepare(6));
        assertThat(last())
                .isInstanceOfSatisfying(
                        AcceptorAnswer.Promised.class,
                        promised -> {
                            assertThat(promised.entry().version()).isEqualTo(base);
                            assertThat(promised.pending().ballot()).isEqualTo(at(5));
                            assertThat(promised.pending().proposal().entry().value())
                                    .asString(US_ASCII)
                                    .isEqualTo("new");
                        });
    }

    /** Majorities of one owner and of three need not have a member in common. */
    @Test
    void whatWasAcceptedForOneFromIsNotPendingForAnother() {
        hold(base);
        ask(accept(5));
        ask(replica, 1, prepare(6));
        assertThat(last())
                .isInstanceOfSatisfying(
                        AcceptorAnswer.Promised.class,
                        promised -> assertThat(promised.pending()).isNull());
        ask(replica, 3, prepare(7));
        assertThat(last())
                .isInstanceOfSatisfying(
                        AcceptorAnswer.Promised.class,
                        promised -> assertThat(promised.pending().ballot()).isEqualTo(at(5)));
    }

    @Test
    void whatAnAcceptanceDecidesIsTheEntryBeforeItIsAnswered() {
        hold(base);
        Question.Accept accept = accept(5);
        data.holdLog();
        ask(new Question.Accept(accept.ballot(), accept.proposal(), true));
        assertThat(answers).isEmpty();
        data.releaseLog();
        assertThat(last()).isEqualTo(AcceptorAnswer.Done.DONE);
        assertThat(((Lookup.Found) data.lookup(KEY)).entry().timestamp())
                .isEqualTo(accept.proposal().result());
        ask(new Question.Accept(accept.ballot(), accept.proposal(), true));
        assertThat(last()).isEqualTo(AcceptorAnswer.Done.DONE);
        ask(prepare(6));
        assertThat(((AcceptorAnswer.Promised) last()).pending()).isNull();
    }

    @Test
    void anEntryThatIsNotStoredIsNotAnswered() {
        hold(base);
        data.failWrites(new StorageException.Full("full", null));
        Question.Accept accept = accept(5);
        ask(new Question.Accept(accept.ballot(), accept.proposal(), true));
        assertThat(answers.getLast().failure()).isNotNull();
        ask(prepare(6));
        assertThat(((AcceptorAnswer.Promised) last()).pending().ballot()).isEqualTo(at(5));
    }

    @Test
    void anEntryFromFarAheadOfTheClockIsNotStored() {
        hold(base);
        Timestamp ahead = base.withStep((time.wallMillis() + 3_600_000) << 16);
        Current value = new Current(ahead, "new".getBytes(US_ASCII), Entry.NEVER, 3, null);
        Proposal proposal = new Proposal(at(5), true, base, false, false, ahead, value, 0);
        ask(new Question.Accept(at(5), proposal, true));
        assertThat(answers.getLast().failure().reason()).isEqualTo(Failure.REFUSED);
        assertThat(((Lookup.Found) data.lookup(KEY)).entry().timestamp()).isEqualTo(base);
    }

    /** In the lead, the ballot may be hours older than the write. */
    @Test
    void recordsAreKeptByTheAgeOfTheWrite() {
        hold(base);
        Timestamp ballot = at(5);
        time.advanceMillis(Duration.ofHours(5).toMillis());
        Timestamp origin = at(0);
        Timestamp result = base.withStep(at(1).hybrid());
        Current value = new Current(result, "new".getBytes(US_ASCII), Entry.NEVER, 3, null);
        ask(
                new Question.Accept(
                        ballot,
                        new Proposal(origin, false, base, false, true, result, value, 0),
                        false));
        assertThat(last()).isEqualTo(AcceptorAnswer.Done.DONE);
        long keptUntilMillis = time.wallMillis() + Duration.ofHours(4).toMillis();
        List<Long> expiring = new ArrayList<>();
        try (EntryCursor all = records.scan(new byte[0], null)) {
            while (all.next()) {
                expiring.add(all.entry().expiresAtMillis());
            }
        }
        // What was accepted, the fate of the write, and what was accepted last; and the promise.
        assertThat(expiring).filteredOn(millis -> millis == keptUntilMillis).hasSize(3);
        assertThat(expiring).hasSize(4);
    }

    @Test
    void onlyTheSuccessorOfItsEntryIsAccepted() {
        ask(accept(5));
        assertThat(last()).isEqualTo(new AcceptorAnswer.Moved(Timestamp.ZERO));
        hold(at(3));
        ask(accept(6));
        assertThat(last()).isEqualTo(new AcceptorAnswer.Moved(at(3)));
    }

    @Test
    void aRecordThatIsNotInMemoryIsReadElsewhere() {
        hold(base);
        records.evictAll(true);
        ask(prepare(5));
        assertThat(answers).isEmpty();
        blocking.remove().run();
        assertThat(last()).isInstanceOf(AcceptorAnswer.Promised.class);
        data.evictAll(true);
        ask(prepare(6));
        blocking.remove().run();
        assertThat(last()).isInstanceOf(AcceptorAnswer.Promised.class);
    }

    @Test
    void afterAFailedWriteTheNextQuestionIsAnswered() {
        hold(base);
        records.holdLog();
        ask(prepare(5));
        ask(prepare(6));
        records.failLog(new StorageException.Io("no disk", null));
        assertThat(answers).hasSize(2);
        assertThat(answers.getFirst())
                .isInstanceOfSatisfying(
                        ReplicaAnswer.Failed.class,
                        failed -> assertThat(failed.reason()).isEqualTo(Failure.FAILED));
        assertThat(last()).isInstanceOf(AcceptorAnswer.Promised.class);
    }

    @Test
    void aQuestionWhoseDeadlinePassesInTheQueueChangesNothing() {
        records.holdLog();
        ask(prepare(5));
        ask(prepare(7));
        time.advanceMillis(2_000);
        assertThat(answers).hasSize(2).allMatch(ReplicaAnswer.Failed.class::isInstance);
        records.releaseLog();
        ask(prepare(6));
        assertThat(last()).isInstanceOf(AcceptorAnswer.Promised.class);
    }

    /** With what a record adds to it, it would be too long for the store. */
    @Test
    void aKeyThatIsTooLongForItsRecordsIsRefused() {
        for (int length : new int[] {RecordStore.MAX_KEY_BYTES, RecordStore.MAX_KEY_BYTES + 1}) {
            replica.ask(
                    new ReplicaRequest.ToAcceptor(new byte[length], 3, prepare(5)),
                    time.nanos() + 1_000_000_000,
                    answers::add);
        }
        assertThat(answers).hasSize(2);
        assertThat(answers.getFirst()).isInstanceOf(ReplicaAnswer.FromAcceptor.class);
        assertThat(answers.getLast().failure().reason()).isEqualTo(Failure.REFUSED);
    }

    @Test
    void aBallotFarAheadOfTheClockIsRefused() {
        ask(
                new Question.Prepare(
                        Timestamp.of(time.wallMillis() + 60_000, 0, 1), Set.of(), Timestamp.ZERO));
        assertThat(answers.getLast().failure().reason()).isEqualTo(Failure.REFUSED);
        assertThat(records.newestTimestamp()).isEqualTo(Timestamp.ZERO);
    }
}
