package dev.quorate.router.conditional;

import static dev.quorate.router.conditional.ConditionalTranscript.at;
import static dev.quorate.router.conditional.ConditionalTranscript.proposal;
import static dev.quorate.router.conditional.ConditionalTranscript.value;
import static dev.quorate.router.conditional.ConditionalTranscript.version;
import static org.assertj.core.api.Assertions.assertThat;

import dev.quorate.storage.Timestamp;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class KeyRecordsTest {

    private static final Current A = value(version(5), "a");
    private static final Current B = value(version(5, 8), "b");
    private static final Current C = value(version(5, 9), "c");
    private static final Timestamp NOBODY = Timestamp.ZERO;

    private static @Nullable Fate fate(AcceptorAnswer answer) {
        return ((AcceptorAnswer.Promised) answer).fate();
    }

    private static Proposal after(boolean isNamed, boolean isBaseDroppable) {
        return new Proposal(at(3), isNamed, version(5), isBaseDroppable, false, B.version(), B, 0);
    }

    private static KeyRecords promised(int ballot) {
        return KeyRecords.NONE.prepare(at(ballot), Set.of(), NOBODY, A, 0).records();
    }

    private static AcceptorAnswer prepared(KeyRecords records, int ballot, Current entry) {
        return records.prepare(at(ballot), Set.of(version(5)), at(3), entry, 0).answer();
    }

    @Test
    void nothingUnderAnEarlierBallotIsAccepted() {
        KeyRecords records = promised(10);
        AcceptorAnswer outbid = new AcceptorAnswer.Outbid(at(10));
        assertThat(prepared(records, 9, A)).isEqualTo(outbid);
        assertThat(records.accept(at(9), proposal(3, B), false, A))
                .isEqualTo(new KeyRecords.Reply(records, outbid));
        assertThat(records.close(at(9), version(4), Proposal.NOBODY, A).answer()).isEqualTo(outbid);
        assertThat(records.deny(at(9), at(3), 0).answer()).isEqualTo(outbid);
    }

    @Test
    void whatIsAcceptedIsAPromise() {
        KeyRecords records = promised(10).accept(at(12), proposal(3, B), false, A).records();
        assertThat(prepared(records, 11, A)).isEqualTo(new AcceptorAnswer.Outbid(at(12)));
        assertThat(records.pending(A)).isEqualTo(new Accepted(at(12), proposal(3, B)));
        assertThat(records.pending(B)).isNull();
    }

    @Test
    void onlyTheEntryIsSucceeded() {
        AcceptorAnswer moved = promised(10).accept(at(10), proposal(3, C), false, B).answer();
        assertThat(moved).isEqualTo(new AcceptorAnswer.Moved(version(5, 8)));
        AcceptorAnswer behind =
                KeyRecords.NONE.accept(at(10), proposal(3, B), false, Current.NOTHING).answer();
        assertThat(behind).isEqualTo(new AcceptorAnswer.Moved(Timestamp.ZERO));
    }

    /** The others of a majority have accepted it. */
    @Test
    void whatIsDecidedByAnAcceptanceIsTheEntryAtOnce() {
        Proposal inLead = new Proposal(at(3), true, version(5), false, true, B.version(), B, 0);
        KeyRecords.Reply reply = promised(10).accept(at(12), inLead, true, A);
        assertThat(reply.answer()).isEqualTo(AcceptorAnswer.Done.DONE);
        assertThat(reply.chosen()).isEqualTo(B);
        assertThat(promised(10).accept(at(12), inLead, false, A).chosen()).isNull();
        // A crash may leave the records without the entry.
        assertThat(reply.records().pending(A)).isEqualTo(new Accepted(at(12), proposal(3, B)));
        assertThat(reply.records().pending(B)).isNull();
        assertThat(reply.records().last()).isNull();
    }

    @Test
    void nothingIsDecidedUnderAnEarlierBallotOrAfterAnotherEntry() {
        KeyRecords.Reply outbid = promised(10).accept(at(9), proposal(3, B), true, A);
        assertThat(outbid)
                .isEqualTo(
                        new KeyRecords.Reply(outbid.records(), new AcceptorAnswer.Outbid(at(10))));
        KeyRecords.Reply moved = promised(10).accept(at(12), proposal(3, B), true, C);
        assertThat(moved.answer()).isEqualTo(new AcceptorAnswer.Moved(C.version()));
        assertThat(moved.chosen()).isNull();
    }

    /** Otherwise the coordinator took it for one that never accepts. */
    @Test
    void whatWasAcceptedUnderTheSameBallotIsAcceptedWhateverHasHappenedSince() {
        KeyRecords records = promised(10).accept(at(12), proposal(3, B), true, A).records();
        KeyRecords.Reply again = records.accept(at(12), proposal(3, B), true, B);
        assertThat(again).isEqualTo(new KeyRecords.Reply(records, AcceptorAnswer.Done.DONE));
        assertThat(records.accept(at(12), proposal(3, B), true, C).answer())
                .isEqualTo(AcceptorAnswer.Done.DONE);
        assertThat(records.accept(at(12), proposal(4, C), true, B).answer())
                .isEqualTo(new AcceptorAnswer.Moved(B.version()));
        assertThat(records.accept(at(13), proposal(3, B), true, B).answer())
                .isEqualTo(new AcceptorAnswer.Moved(B.version()));
    }

    @Test
    void onlyWhatWasSupersededIsClosed() {
        KeyRecords records = promised(10);
        assertThat(records.close(at(10), version(5), Proposal.NOBODY, A).answer())
                .isEqualTo(new AcceptorAnswer.Moved(version(5)));
        assertThat(records.close(at(10), version(5), Proposal.NOBODY, B).answer())
                .isEqualTo(AcceptorAnswer.Done.DONE);
    }

    @Test
    void whatSucceededASupersededVersionIsToldWithoutItsValue() {
        KeyRecords records = promised(10).close(at(10), version(5), proposal(3, B), C).records();
        assertThat(prepared(records, 11, C))
                .isEqualTo(
                        new AcceptorAnswer.Promised(
                                C,
                                0,
                                null,
                                Map.of(
                                        version(5),
                                        new Accepted(at(10), proposal(3, B).withoutValue())),
                                records.fates().get(at(3))));
    }

    /** Also of one that names a version, if its client may send it with another condition. */
    @Test
    void theFateOfAWriteIsKept() {
        KeyRecords records = promised(10).accept(at(10), after(false, false), false, A).records();
        assertThat(prepared(records, 11, B))
                .extracting(KeyRecordsTest::fate)
                .isEqualTo(new Fate(at(10), version(5), 0));
        KeyRecords expiring = promised(10).accept(at(10), after(true, true), false, A).records();
        assertThat(prepared(expiring, 11, B))
                .extracting(KeyRecordsTest::fate)
                .isEqualTo(new Fate(at(10), version(5), 0));
        Proposal named = new Proposal(at(3), true, version(5), false, false, B.version(), B, 7);
        assertThat(prepared(promised(10).accept(at(10), named, false, A).records(), 11, B))
                .extracting(KeyRecordsTest::fate)
                .isEqualTo(new Fate(at(10), version(5), 7));
        assertThat(prepared(records.deny(at(12), at(3), 0).records(), 13, B))
                .extracting(KeyRecordsTest::fate)
                .isEqualTo(new Fate(at(12), null, 0));
    }

    @Test
    void aWriteThatIsFoundByTheVersionThatItNamesHasNoFate() {
        KeyRecords records = promised(10).accept(at(10), after(true, false), false, A).records();
        assertThat(prepared(records, 11, B)).extracting(KeyRecordsTest::fate).isNull();
    }

    /** It counts as no acceptance. */
    @Test
    void whatIsMergedIsACopy() {
        KeyRecords other = KeyRecords.NONE.accept(at(10), proposal(3, B), false, A).records();
        assertThat(MergedRecords.of(KeyRecords.NONE, other).pending(A))
                .isEqualTo(new Accepted(at(10), proposal(3, B), true));
    }

    @Test
    void ofSeveralThatWereAcceptedInTheLeadTheLastIsPending() {
        KeyRecords first = KeyRecords.NONE.accept(at(10), proposal(3, B), false, A).records();
        Proposal next = new Proposal(at(4), true, B.version(), false, true, C.version(), C, 0);
        KeyRecords both = first.accept(at(10), next, false, B).records();
        for (KeyRecords merged :
                new KeyRecords[] {
                    MergedRecords.of(MergedRecords.of(KeyRecords.NONE, first), both),
                    MergedRecords.of(MergedRecords.of(KeyRecords.NONE, both), first)
                }) {
            assertThat(merged.noted(B).pending(B)).isEqualTo(new Accepted(at(10), next, true));
        }
    }

    /** Under a later ballot than that of what was accepted last. */
    @Test
    void whatAnotherReplicaHasClosedIsNotTheLast() {
        KeyRecords first = KeyRecords.NONE.accept(at(10), proposal(3, B), false, A).records();
        Proposal next = new Proposal(at(4), true, B.version(), true, false, C.version(), C, 0);
        KeyRecords last = KeyRecords.NONE.accept(at(11), next, false, B).records();
        KeyRecords closed = KeyRecords.NONE.close(at(12), version(5), proposal(3, B), B).records();
        for (KeyRecords merged :
                new KeyRecords[] {
                    MergedRecords.of(MergedRecords.of(first, closed), last),
                    MergedRecords.of(MergedRecords.of(closed, first), last),
                    MergedRecords.of(MergedRecords.of(last, first), closed)
                }) {
            assertThat(merged.noted(B).pending(B)).extracting(Accepted::proposal).isEqualTo(next);
        }
    }

    @Test
    void theLatestBallotsAreMerged() {
        KeyRecords one = MergedRecords.of(promised(20), KeyRecords.NONE);
        KeyRecords other =
                KeyRecords.NONE
                        .accept(at(10), proposal(3, B), false, A)
                        .records()
                        .deny(at(11), at(3), 0)
                        .records();
        KeyRecords another = KeyRecords.NONE.accept(at(12), proposal(4, C), false, A).records();
        for (KeyRecords merged :
                new KeyRecords[] {
                    MergedRecords.of(MergedRecords.of(one, other), another),
                    MergedRecords.of(MergedRecords.of(another, other), one)
                }) {
            assertThat(prepared(merged, 19, A)).isEqualTo(new AcceptorAnswer.Outbid(at(20)));
            assertThat(merged.pending(A))
                    .extracting(Accepted::ballot, Accepted::proposal)
                    .containsExactly(at(12), proposal(4, C));
            assertThat(prepared(merged, 21, B))
                    .extracting(KeyRecordsTest::fate)
                    .isEqualTo(new Fate(at(11), null, 0));
        }
    }

    /** Of a base that was dropped here: the replica lacks what was proposed, and all after it. */
    @Test
    void whatSucceedsThePendingValueLeavesIt() {
        KeyRecords pending =
                KeyRecords.NONE.accept(at(10), after(true, true), false, Current.NOTHING).records();
        for (Timestamp base : new Timestamp[] {B.version(), C.version()}) {
            Current next = value(version(5, 20), "next");
            Proposal proposal =
                    new Proposal(at(4), true, base, true, false, next.version(), next, 0);
            KeyRecords both = pending.accept(at(11), proposal, false, Current.NOTHING).records();
            assertThat(both.decrees().get(version(5)))
                    .extracting(Accepted::proposal)
                    .isEqualTo(after(true, true));
            assertThat(both.decrees().get(base)).extracting(Accepted::proposal).isEqualTo(proposal);
        }
    }

    /** Of a write that is finished again, though another has succeeded it. */
    @Test
    void whatComesBeforeThePendingValueLeavesItPending() {
        Current next = value(version(5, 20), "next");
        Proposal later =
                new Proposal(at(4), true, B.version(), true, false, next.version(), next, 0);
        KeyRecords both =
                KeyRecords.NONE
                        .accept(at(10), later, false, Current.NOTHING)
                        .records()
                        .accept(at(11), after(true, true), false, Current.NOTHING)
                        .records();
        assertThat(both.decrees().get(version(5)))
                .isEqualTo(new Accepted(at(11), after(true, true)));
        assertThat(both.decrees().get(B.version())).isEqualTo(new Accepted(at(10), later));
        assertThat(both.pending(Current.NOTHING)).isEqualTo(new Accepted(at(10), later));
        assertThat(both.pending(B)).isEqualTo(new Accepted(at(10), later));
    }

    /** What succeeded the tombstone is before the watermark, though it is younger. */
    @Test
    void anotherNameOfTheBaseIsTheSameDecree() {
        Timestamp watermark = Timestamp.of(1, 0, 0);
        Timestamp tombstone = new Timestamp(5, 1);
        Current one = value(tombstone.withStep((1 << 16) + 8), "one");
        Current other = value(watermark.withStep((1 << 16) + 9), "other");
        Proposal first = new Proposal(at(3), false, tombstone, true, false, one.version(), one, 0);
        Proposal second =
                new Proposal(at(4), false, watermark, true, false, other.version(), other, 0);
        for (Proposal[] order : new Proposal[][] {{first, second}, {second, first}}) {
            KeyRecords both =
                    KeyRecords.NONE
                            .accept(at(10), order[0], false, Current.NOTHING)
                            .records()
                            .accept(at(11), order[1], false, Current.NOTHING)
                            .records();
            Accepted accepted = new Accepted(at(11), order[1]);
            assertThat(both.decrees()).isEqualTo(Map.of(tombstone, accepted, watermark, accepted));
        }
    }

    private static Timestamp millis(long wallMillis) {
        return Timestamp.of(wallMillis, 0, 1);
    }

    /** A write made at a moment, to succeed the value of another. */
    private static Proposal made(long atMillis, long baseMillis, boolean isNamed) {
        Timestamp base = millis(baseMillis);
        Current next = value(base.withStep(millis(atMillis).hybrid()), "made " + atMillis);
        return new Proposal(millis(atMillis), isNamed, base, false, false, next.version(), next, 7);
    }

    private static KeyRecords accepted(long ballotMillis, Proposal... proposals) {
        KeyRecords records = KeyRecords.NONE;
        for (Proposal proposal : proposals) {
            Current base = value(proposal.base(), "base");
            records = records.accept(millis(ballotMillis), proposal, false, base).records();
        }
        return records;
    }

    @Test
    void recordsOlderThanTheWatermarkAreForgotten() {
        KeyRecords records = accepted(100, made(90, 50, false));
        assertThat(records.since(89)).isSameAs(records);
        assertThat(records.since(90)).isSameAs(records);
        KeyRecords since = records.since(101);
        assertThat(since.decrees()).isEmpty();
        assertThat(since.fates()).isEmpty();
        assertThat(since.last()).isNull();
        assertThat(since.promised()).isEqualTo(Timestamp.of(101, 0, 0));
        assertThat(since.since(100)).isSameAs(since);
        assertThat(since.deny(millis(100), at(3), 0).answer())
                .isEqualTo(new AcceptorAnswer.Outbid(Timestamp.of(101, 0, 0)));
    }

    /** In the lead, a ballot is older than the writes; a retry has a later ballot. */
    @Test
    void recordsAreAsOldAsTheYoungerOfBallotAndResult() {
        KeyRecords byResult = accepted(100, made(120, 50, false));
        assertThat(byResult.since(110).decrees()).isEqualTo(byResult.decrees());
        assertThat(byResult.since(110).fates()).isEqualTo(byResult.fates());
        assertThat(byResult.since(110).last()).isEqualTo(millis(50));
        assertThat(byResult.since(121).decrees()).isEmpty();
        assertThat(byResult.since(121).fates()).isEmpty();

        KeyRecords byBallot = accepted(120, made(100, 50, false));
        Accepted withoutValue = new Accepted(millis(120), made(100, 50, false).withoutValue());
        assertThat(byBallot.since(110).decrees()).isEqualTo(Map.of(millis(50), withoutValue));
        assertThat(byBallot.since(110).fates()).isEqualTo(byBallot.fates());
        assertThat(byBallot.since(110).promised()).isEqualTo(millis(120));
        assertThat(byBallot.since(110).pending(value(millis(50), "base"))).isNull();
        assertThat(byBallot.since(120).fates()).isEqualTo(byBallot.fates());
        assertThat(byBallot.since(121).fates()).isEmpty();
    }

    @Test
    void onlyOldRecordsAreForgotten() {
        Proposal old = made(100, 50, false);
        Proposal young = made(200, 60, false);
        KeyRecords records = accepted(100, old, young);
        KeyRecords since = records.since(150);
        assertThat(since.decrees()).isEqualTo(Map.of(millis(60), new Accepted(millis(100), young)));
        assertThat(since.fates()).containsOnlyKeys(millis(200));
        assertThat(since.last()).isEqualTo(millis(60));
        KeyRecords closed = records.close(millis(201), millis(40), Proposal.NOBODY, A).records();
        assertThat(closed.since(202).decrees()).isEmpty();
    }

    @Test
    void eachQuestionIsAnswered() {
        KeyRecords records = promised(10);
        Proposal proposal = proposal(3, B);
        Question[] questions = {
            new Question.Prepare(at(11), Set.of(version(5)), at(3)),
            new Question.Accept(at(11), proposal, false),
            new Question.Close(at(11), version(4), proposal),
            new Question.Deny(at(11), at(3), 9)
        };
        KeyRecords.Reply[] replies = {
            records.prepare(at(11), Set.of(version(5)), at(3), A, 8),
            records.accept(at(11), proposal, false, A),
            records.close(at(11), version(4), proposal, A),
            records.deny(at(11), at(3), 9)
        };
        for (int i = 0; i < questions.length; i++) {
            assertThat(records.answer(questions[i], A, 8)).isEqualTo(replies[i]);
        }
    }
}
