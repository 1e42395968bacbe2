package dev.quorate.router.conditional;

import static dev.quorate.router.conditional.ConditionalTranscript.at;
import static dev.quorate.router.conditional.ConditionalTranscript.value;
import static dev.quorate.router.conditional.ConditionalTranscript.version;
import static org.assertj.core.api.Assertions.assertThat;

import dev.quorate.router.conditional.ConditionalRequest.Condition;
import dev.quorate.storage.Entry;
import dev.quorate.storage.Timestamp;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Writes that succeed nothing, a tombstone, or a value that expires: replicas may drop it. */
class DroppedTombstonesTest {

    /** The first reading of millisecond 1, below which everything is settled. */
    private static final int WATERMARK = 1 << 16;

    private static final Current TOMBSTONE = new Current(version(5), null, Entry.NEVER, 0, null);
    private static final Current PLAIN = value(version(WATERMARK + 900), "plain");

    /** Of what was accepted under the watermark's name, and under the tombstone's. */
    private static final Timestamp ROOT = version(WATERMARK);

    private static ConditionalTranscript creates(boolean isRetry, int origin) {
        byte[] value = "mine".getBytes(StandardCharsets.UTF_8);
        return new ConditionalTranscript(
                        new ConditionalRequest(
                                at(origin),
                                isRetry,
                                Condition.Absent.ABSENT,
                                value,
                                Entry.NEVER,
                                0,
                                null))
                .watermark(1);
    }

    private static ConditionalTranscript first() {
        return creates(false, WATERMARK + 9);
    }

    private static ConditionalTranscript again() {
        return creates(true, WATERMARK + 9);
    }

    private static Accepted accepted(int ballot, int origin, Timestamp base, int step) {
        Current entry = value(base.withStep(WATERMARK + step), "created");
        return new Accepted(
                at(WATERMARK + ballot),
                new Proposal(
                        at(WATERMARK + origin),
                        false,
                        base,
                        true,
                        false,
                        entry.version(),
                        entry,
                        0));
    }

    private static Fate fate(int ballot, Timestamp base) {
        return new Fate(at(WATERMARK + ballot), base, 0);
    }

    @Test
    void whatSucceedsNothingHasTheWatermarkAsItsRoot() {
        assertThat(
                        first().begins(WATERMARK + 10)
                                .promises(1, Current.NOTHING)
                                .promises(2, Current.NOTHING)
                                .stamps(WATERMARK + 12))
                .hasToString(
                        """
                        begins with 65546
                            prepare 65546
                        n1 promises, has nothing
                        n2 promises, has nothing
                            stamp after 65536
                        the clock gives 65548
                            accept 65546 after v65536 of 65545: v65536.65548 "mine"
                        """);
    }

    @Test
    void aTombstoneThatOneReplicaStillHasIsTheBase() {
        assertThat(
                        first().begins(WATERMARK + 10)
                                .promises(1, Current.NOTHING)
                                .promises(2, TOMBSTONE)
                                .stamps(WATERMARK + 12)
                                .does(1)
                                .does(2))
                .asString()
                .endsWith(
                        """
                            store v5
                        n1 does so
                        n2 does so
                            accept 65546 after v5 of 65545: v5.65548 "mine"
                        """);
    }

    /** Nothing and the tombstone are one decree: of what was accepted, the latest ballot counts. */
    @Test
    void theLatestBallotCountsUnderWhateverName() {
        Accepted onTombstone = accepted(3, 1, TOMBSTONE.version(), 6);
        Accepted onNothing = accepted(4, 2, ROOT, 5);
        assertThat(
                        first().begins(WATERMARK + 10)
                                .promises(1, TOMBSTONE, onTombstone)
                                .promises(2, Current.NOTHING, onNothing)
                                .stamps(WATERMARK + 12)
                                .does(1)
                                .does(2)
                                .promises(1, TOMBSTONE, onTombstone)
                                .promises(2, TOMBSTONE, onNothing)
                                .stamps(WATERMARK + 13))
                .asString()
                .endsWith("    accept 65546 after v65536 of 65538: v65536.65541 \"created\"\n");
        Accepted later = accepted(5, 1, TOMBSTONE.version(), 6);
        assertThat(
                        first().begins(WATERMARK + 10)
                                .promises(1, Current.NOTHING, later)
                                .promises(2, Current.NOTHING, onNothing)
                                .stamps(WATERMARK + 12)
                                .promises(1, Current.NOTHING, later)
                                .promises(2, Current.NOTHING, onNothing)
                                .stamps(WATERMARK + 13))
                .asString()
                .endsWith("    accept 65546 after v5 of 65537: v5.65542 \"created\"\n");
    }

    @Test
    void whatWasAcceptedBeforeALaterTombstoneIsNotFinished() {
        Current later = new Current(version(WATERMARK + 7), null, Entry.NEVER, 0, null);
        assertThat(
                        first().begins(WATERMARK + 10)
                                .promises(1, later)
                                .promises(2, Current.NOTHING, accepted(3, 1, ROOT, 6))
                                .stamps(WATERMARK + 12)
                                .does(1)
                                .does(2))
                .asString()
                .endsWith("    accept 65546 after v65543 of 65545: v65543.65548 \"mine\"\n");
    }

    /** What was accepted in its place may be known under another name. */
    @Test
    void aCreationWasDoneOnlyIfAMajorityAcceptedIt() {
        Map<Timestamp, Accepted> own = Map.of(ROOT, accepted(3, 9, ROOT, 6));
        ConditionalTranscript both =
                again().begins(WATERMARK + 10)
                        .promises(1, PLAIN, null, own, fate(3, ROOT))
                        .promises(2, PLAIN, null, own, fate(3, ROOT))
                        .promises(1, PLAIN, null, own, fate(3, ROOT))
                        .promises(2, PLAIN, null, own, fate(3, ROOT))
                        .stamps(WATERMARK + 999);
        assertThat(both).asString().endsWith("    written v65536.65542\n");
        ConditionalTranscript one =
                again().begins(WATERMARK + 10)
                        .promises(1, PLAIN, null, own, fate(3, ROOT))
                        .promises(2, PLAIN)
                        .promises(1, PLAIN, null, own, fate(3, ROOT))
                        .promises(2, PLAIN);
        assertThat(one).asString().endsWith("n2 promises, has v66436 \"plain\"\n");
        assertThat(one.promises(3, PLAIN).stamps(WATERMARK + 999))
                .asString()
                .endsWith("    deny 65546\n");
    }

    @Test
    void anAcceptanceThatARebuiltReplicaHasCopiedIsNoVote() {
        Accepted accepted = accepted(3, 9, ROOT, 6);
        Map<Timestamp, Accepted> copied =
                Map.of(ROOT, new Accepted(accepted.ballot(), accepted.proposal(), true));
        assertThat(
                        again().begins(WATERMARK + 10)
                                .promises(1, PLAIN, null, Map.of(), fate(3, ROOT))
                                .promises(2, PLAIN)
                                .promises(1, PLAIN, null, Map.of(ROOT, accepted), fate(3, ROOT))
                                .promises(2, PLAIN, null, copied, fate(3, ROOT))
                                .promises(3, PLAIN)
                                .stamps(WATERMARK + 999))
                .asString()
                .endsWith("    undecided\n");
    }

    /** Its records may have been dropped. */
    @Test
    void aRetryFromBelowTheWatermarkIsTooOld() {
        assertThat(creates(true, 9).begins(WATERMARK + 10).promises(1, PLAIN).promises(2, PLAIN))
                .asString()
                .endsWith("    too old\n");
    }

    /** By another clock the value had expired: what the third replica may have accepted is dead. */
    @Test
    void aRetryIsDeniedOverAValueThatExpires() {
        Current expiring = new Current(PLAIN.version(), PLAIN.value(), Long.MAX_VALUE - 1, 0, null);
        assertThat(
                        again().begins(WATERMARK + 999)
                                .promises(1, expiring)
                                .promises(2, expiring)
                                .stamps(WATERMARK + 1_000))
                .asString()
                .endsWith("    deny 66535\n");
    }

    /** Whoever accepted it to succeed the value that is gone may still show it to others. */
    @Test
    void aRetryIsDeniedOnceTheValueThatItNamesIsDropped() {
        ConditionalRequest.Condition condition = new ConditionalRequest.Condition.Is(version(5));
        byte[] value = "mine".getBytes(StandardCharsets.UTF_8);
        ConditionalRequest request =
                new ConditionalRequest(
                        at(WATERMARK + 9), true, condition, value, Entry.NEVER, 0, null);
        assertThat(
                        new ConditionalTranscript(request)
                                .watermark(1)
                                .begins(WATERMARK + 10)
                                .promises(1, Current.NOTHING)
                                .promises(2, Current.NOTHING)
                                .stamps(WATERMARK + 12)
                                .does(1)
                                .does(2)
                                .does(1)
                                .does(2))
                .asString()
                .endsWith(
                        """
                            close 65546 after v5 nobody
                        n1 does so
                        n2 does so
                            deny 65546
                        n1 does so
                        n2 does so
                            unmet: nothing
                        """);
    }

    /** It found that itself, unlike a retry that meets the denial of an earlier attempt. */
    @Test
    void aWriteThatWasNotDeniedAtOnceIsAnsweredWithWhatItFound() {
        Fate denied = new Fate(at(WATERMARK + 910), null, 0);
        assertThat(
                        first().begins(WATERMARK + 10)
                                .promises(1, Current.NOTHING)
                                .promises(2, Current.NOTHING)
                                .stamps(WATERMARK + 12)
                                .fails(1)
                                .fails(2)
                                .begins(WATERMARK + 910)
                                .promises(1, PLAIN)
                                .promises(2, PLAIN)
                                .stamps(WATERMARK + 912)
                                .does(1)
                                .does(2)
                                .does(1)
                                .fails(2)
                                .fails(3)
                                .begins(WATERMARK + 920)
                                .promises(1, PLAIN, null, Map.of(), denied)
                                .promises(2, PLAIN)
                                .stamps(WATERMARK + 922)
                                .does(1)
                                .does(2))
                .asString()
                .endsWith(
                        """
                            deny 66456
                        n1 does so
                        n2 does so
                            unmet: v66436 "plain"
                        """);
    }

    @Test
    void whatWasDeniedIsNotFinished() {
        Accepted other = accepted(3, 1, ROOT, 6);
        assertThat(finding(other).promises(2, Current.NOTHING, null, Map.of(), fate(5, null)))
                .asString()
                .endsWith(
                        """
                            prepare 65546 about the fate of 65537
                        n1 promises, has nothing, accepted of 65537: v65536.65542 "created", \
                        last proposed after v65536
                        n2 promises, has nothing, was denied
                            stamp after 65536
                        """);
        assertThat(
                        finding(other)
                                .promises(2, Current.NOTHING, null, Map.of(), fate(5, null))
                                .stamps(WATERMARK + 13))
                .asString()
                .endsWith("    accept 65546 after v65536 of 65545: v65536.65549 \"mine\"\n");
        assertThat(
                        finding(other)
                                .promises(2, Current.NOTHING, null, Map.of(), fate(2, null))
                                .stamps(WATERMARK + 13))
                .asString()
                .endsWith("    accept 65546 after v65536 of 65537: v65536.65542 \"created\"\n");
    }

    /** Its step is younger than the watermark, and a denial may have been older. */
    @Test
    void whatMayHaveBeenDeniedBelowTheWatermarkIsNotFinished() {
        Accepted other = accepted(-2, -3, ROOT, 6);
        assertThat(
                        first().begins(WATERMARK + 10)
                                .promises(1, Current.NOTHING, other)
                                .promises(2, Current.NOTHING)
                                .stamps(WATERMARK + 12))
                .asString()
                .endsWith("    undecided\n");
    }

    private static ConditionalTranscript finding(Accepted other) {
        return first().begins(WATERMARK + 10)
                .promises(1, Current.NOTHING, other)
                .promises(2, Current.NOTHING)
                .stamps(WATERMARK + 12)
                .promises(1, Current.NOTHING, other, Map.of(), fate(3, ROOT));
    }

    /** Closed under a name that replicas have dropped, it was finished under that name since. */
    @Test
    void whatWasClosedIsAskedAboutAgainIfItWasProposedSince() {
        Current mine = value(ROOT.withStep(WATERMARK + 12), "mine");
        Map<Timestamp, Accepted> own =
                Map.of(
                        ROOT,
                        new Accepted(
                                at(2 * WATERMARK + 8),
                                new Proposal(
                                        at(WATERMARK + 9),
                                        false,
                                        ROOT,
                                        true,
                                        false,
                                        mine.version(),
                                        mine,
                                        0)));
        Fate since = new Fate(at(2 * WATERMARK + 8), ROOT, 0);
        assertThat(
                        first().begins(WATERMARK + 10)
                                .promises(1, Current.NOTHING)
                                .promises(2, Current.NOTHING)
                                .stamps(WATERMARK + 12)
                                .fails(1)
                                .fails(2)
                                .watermark(2)
                                .begins(2 * WATERMARK + 5)
                                .promises(1, Current.NOTHING)
                                .promises(2, Current.NOTHING)
                                .stamps(2 * WATERMARK + 6)
                                .does(1)
                                .does(2)
                                .fails(1)
                                .fails(2)
                                .begins(2 * WATERMARK + 9)
                                .promises(1, mine, null, Map.of(), since)
                                .promises(2, mine, null, Map.of(), since)
                                .promises(1, mine, null, own, since)
                                .promises(2, mine, null, own, since)
                                .stamps(2 * WATERMARK + 10))
                .asString()
                .contains("close 131077 after v65536 nobody")
                .endsWith("    written v65536.65548\n");
    }

    // ---- One replica.

    private static KeyRecords accepting(KeyRecords records, Accepted accepted, Current entry) {
        KeyRecords.Reply reply =
                records.accept(accepted.ballot(), accepted.proposal(), false, entry);
        assertThat(reply.answer()).isEqualTo(AcceptorAnswer.Done.DONE);
        return reply.records();
    }

    private static Map<Timestamp, Accepted> asked(KeyRecords records, Timestamp... bases) {
        AcceptorAnswer answer =
                records.prepare(at(1 << 20), Set.of(bases), at(1), PLAIN, 0).answer();
        return ((AcceptorAnswer.Promised) answer).asked();
    }

    @Test
    void whatSucceedsNothingIsAcceptedOverATombstoneBelowTheWatermark() {
        Accepted accepted = accepted(3, 1, ROOT, 6);
        assertThat(accepting(KeyRecords.NONE, accepted, TOMBSTONE).pending(TOMBSTONE))
                .isEqualTo(accepted);
        Current young = new Current(version(WATERMARK + 7), null, Entry.NEVER, 0, null);
        Current made = new Current(version(5, WATERMARK + 7), null, Entry.NEVER, 0, null);
        for (Current entry : new Current[] {young, made, PLAIN, value(version(5), "old")}) {
            assertThat(
                            KeyRecords.NONE
                                    .accept(at(1 << 20), accepted.proposal(), false, entry)
                                    .answer())
                    .isEqualTo(new AcceptorAnswer.Moved(entry.version()));
        }
    }

    @Test
    void anotherNameOfTheBaseIsTheSameDecree() {
        Accepted earlier = accepted(3, 1, TOMBSTONE.version(), 6);
        Accepted later = accepted(4, 2, ROOT, 5);
        KeyRecords records =
                accepting(accepting(KeyRecords.NONE, earlier, TOMBSTONE), later, Current.NOTHING);
        assertThat(records.pending(Current.NOTHING)).isEqualTo(later);
        assertThat(asked(records, ROOT, TOMBSTONE.version()))
                .containsOnly(Map.entry(ROOT, later), Map.entry(TOMBSTONE.version(), later));
    }

    @Test
    void whatWasSupersededIsNotPendingOnceTheTombstoneIsDropped() {
        Accepted accepted = accepted(3, 1, ROOT, 600);
        Current late = new Current(version(WATERMARK + 7), null, Entry.NEVER, 0, null);
        KeyRecords records = accepting(KeyRecords.NONE, accepted, Current.NOTHING);
        assertThat(records.noted(Current.NOTHING).pending(Current.NOTHING)).isEqualTo(accepted);
        assertThat(records.noted(late).pending(Current.NOTHING)).isNull();
        assertThat(asked(records.noted(late), ROOT)).containsEntry(ROOT, accepted);
    }

    @Test
    void recordsBelowTheWatermarkAreDropped() {
        KeyRecords records = accepting(KeyRecords.NONE, accepted(3, 1, ROOT, 6), Current.NOTHING);
        assertThat(asked(records.since(1), ROOT)).isNotEmpty();
        assertThat(asked(records.since(2), ROOT)).isEmpty();
        assertThat(records.since(2).prepare(at(WATERMARK + 9), Set.of(), at(1), PLAIN, 2).answer())
                .isEqualTo(new AcceptorAnswer.Outbid(at(2 * WATERMARK)));
    }

    /** In the lead, the ballot may be older than the watermark. */
    @Test
    void recordsOfAYoungWriteAreKept() {
        Timestamp origin = at(2 * WATERMARK + 5);
        Current entry = value(ROOT.withStep(2 * WATERMARK + 6), "created");
        Proposal proposal =
                new Proposal(origin, false, ROOT, true, true, entry.version(), entry, 0);
        Accepted accepted = new Accepted(at(WATERMARK + 3), proposal);
        KeyRecords records = accepting(KeyRecords.NONE, accepted, Current.NOTHING).since(2);
        assertThat(records.prepare(at(1 << 20), Set.of(ROOT), origin, PLAIN, 2).answer())
                .isEqualTo(
                        new AcceptorAnswer.Promised(
                                PLAIN,
                                2,
                                null,
                                Map.of(ROOT, accepted),
                                new Fate(accepted.ballot(), ROOT, 0)));
    }
}
