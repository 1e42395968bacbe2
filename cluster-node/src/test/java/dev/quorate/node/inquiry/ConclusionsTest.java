package dev.quorate.node.inquiry;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import dev.quorate.node.inquiry.KeyReport.MemberReport;
import dev.quorate.router.message.HeldKey;
import dev.quorate.router.message.MemberState;
import dev.quorate.router.message.MemberStates;
import dev.quorate.router.message.ReplicaAnswer.Failed;
import dev.quorate.router.message.ReplicaAnswer.Failure;
import dev.quorate.router.topology.Topology;
import dev.quorate.storage.Entry;
import dev.quorate.storage.Holdings.Held;
import dev.quorate.storage.Holdings.Place;
import dev.quorate.storage.Holdings.Unread;
import dev.quorate.storage.Timestamp;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** What follows from what members hold: each sentence, where it holds and where it does not. */
class ConclusionsTest {

    private static final long NOW = 1_767_225_600_000L;
    private static final Timestamp OLD = Timestamp.of(NOW - 2_000, 0, 1);
    private static final Timestamp NEW = Timestamp.of(NOW - 1_000, 0, 2);

    private static final Topology THREE =
            Topology.parse("n1=http://a:1,n2=http://b:1,n3=http://c:1");

    private static Held value(Timestamp timestamp) {
        return new Held(Place.Active.ACTIVE, timestamp, false, 3, 5, Entry.NEVER);
    }

    private static Held tombstone(Timestamp timestamp) {
        return new Held(Place.Active.ACTIVE, timestamp, true, 3, 0, Entry.NEVER);
    }

    private static HeldKey holding(Held... entries) {
        return new HeldKey(voting(0), 0, true, List.of(entries), List.of(), List.of());
    }

    private static MemberState voting(long completeMillis) {
        return MemberStates.of(1, MemberState.Condition.WHOLE, 2, NOW, completeMillis, 0);
    }

    /** Null stands for a member that does not answer. */
    private static KeyReport report(HeldKey... held) {
        List<MemberReport> members = new ArrayList<>();
        for (int i = 0; i < held.length; i++) {
            members.add(report(i + 1, i < 3, i < 3, held[i]));
        }
        return report(THREE, members);
    }

    private static MemberReport report(int rank, boolean isOld, boolean isNew, HeldKey held) {
        Failed failed = held == null ? new Failed(Failure.BREAKER_OPEN, "gone") : null;
        return new MemberReport("n" + rank, rank, rank, isOld, isNew, held, failed);
    }

    private static KeyReport report(Topology topology, List<MemberReport> members) {
        return new KeyReport("key".getBytes(US_ASCII), topology, 500, members, List.of());
    }

    private static List<String> of(HeldKey... held) {
        return Conclusions.of(report(held));
    }

    @Test
    void aReadReturnsWhatEveryMajorityHas() {
        assertThat(of(holding(value(NEW)), holding(value(OLD), value(NEW)), holding()))
                .containsExactly(
                        "A read at a majority (2/3) returns "
                                + NEW
                                + ", a value: n1, n2 of 3 owners have it, so each majority contains one"
                                + ".");
        assertThat(of(holding(value(NEW)), null, holding(value(NEW))).getFirst())
                .contains("returns " + NEW + ", a value: n1, n3 of 3");
    }

    @Test
    void aReadReturnsWhatOneReplicaHasIfItIsAsked() {
        assertThat(of(holding(tombstone(NEW)), holding(value(OLD)), holding()).getFirst())
                .isEqualTo(
                        "A read at a majority (2/3) returns "
                                + NEW
                                + ", a tombstone (404), if n1 is among the first to answer, and then"
                                + " writes it to a majority; otherwise "
                                + OLD
                                + ", a value.");
        assertThat(of(holding(value(NEW)), holding(), holding()).getFirst())
                .endsWith("otherwise it finds nothing.");
        // Where only two answer, both are asked.
        assertThat(of(holding(value(NEW)), holding(), null).getFirst()).contains("each majority");
    }

    @Test
    void withTooFewAnswersAReadFails() {
        assertThat(of(holding(value(NEW)), null, null).getFirst())
                .contains("504: 1 of 3 replicas can answer (n1), and 2 must.");
        assertThat(of(holding(), holding(), null).getFirst()).contains("404");
    }

    @Test
    void aDamagedMemberAnswersUnlessANewerEntryMayBeUnreadable() {
        Unread unread = new Unread(new Place.Table(7, 0), NEW, "a block");
        HeldKey behind =
                new HeldKey(voting(0), 0, true, List.of(value(OLD)), List.of(unread), List.of());
        assertThat(of(behind, holding(value(OLD)), null))
                .anyMatch(sentence -> sentence.contains("504"))
                .contains(
                        "n1 may have more: it cannot read 1 of its tables, so it does not answer"
                                + " reads of the key.");
        Timestamp newer = Timestamp.of(NOW, 0, 1);
        HeldKey ahead =
                new HeldKey(voting(0), 0, true, List.of(value(newer)), List.of(unread), List.of());
        assertThat(of(ahead, holding(value(OLD)), null))
                .anyMatch(sentence -> sentence.contains("returns " + newer))
                .contains("n1 may have more: it cannot read 1 of its tables, but nothing newer.");
    }

    /** n3 leaves the key, and n4 gains it. */
    private static String joint(HeldKey n1, HeldKey n2, HeldKey n3, HeldKey n4) {
        Topology joint =
                Topology.parse("n1=http://a:1,n2=http://b:1,n3=http://c:1,n4=http://d:1")
                        .in(new UUID(1, 2));
        List<MemberReport> members =
                List.of(
                        report(1, true, true, n1),
                        report(2, true, true, n2),
                        report(3, true, false, n3),
                        report(4, false, true, n4));
        return Conclusions.of(report(joint, members)).getFirst();
    }

    @Test
    void whileMembersChangeAReadNeedsBothGroups() {
        HeldKey old = holding(value(OLD));
        assertThat(joint(old, null, old, null))
                .isEqualTo(
                        "A read at a majority (2/3 and 2/3) is answered with 504: 2 of the 3 old"
                                + " owners and 1 of the 3 new owners can answer (n1, n3), and 2 of"
                                + " each must.");
        assertThat(joint(old, null, null, old))
                .contains("1 of the 3 old owners and 2 of the 3 new");
        // n1 and n2 are a quorum of each group.
        assertThat(joint(old, old, holding(value(NEW)), holding(value(NEW))))
                .contains("returns " + NEW + ", a value, if n3, n4 is among")
                .endsWith("otherwise " + OLD + ", a value.");
        assertThat(joint(holding(value(NEW)), holding(value(NEW)), old, holding()))
                .contains("returns " + NEW + ", a value: n1, n2 of 4 owners have it, so each");
        // Without n2, each quorum of the new owners has n4.
        assertThat(joint(old, null, old, holding(value(NEW))))
                .contains("returns " + NEW + ", a value: n4 of 4 owners have it, so each");
    }

    @Test
    void aCopyElsewhereIsNamed() {
        assertThat(of(holding(value(OLD)), holding(value(OLD)), holding(), holding(value(NEW))))
                .anyMatch(sentence -> sentence.startsWith("n4 has a copy and is not among"))
                .first()
                .asString()
                .contains("returns " + OLD);
    }

    @Test
    void aVersionFromAClockAheadIsMarked() {
        Timestamp edge = Timestamp.of(NOW + 500, 7, 1);
        Timestamp beyond = Timestamp.of(NOW + 501, 0, 1);
        assertThat(of(holding(value(edge)), holding(value(edge)), holding()))
                .noneMatch(sentence -> sentence.contains("ahead"));
        assertThat(of(holding(value(beyond)), holding(value(beyond)), holding()))
                .anyMatch(
                        sentence ->
                                sentence.startsWith(beyond + " is from a clock that was too far")
                                        && sentence.contains(
                                                "at n1, n2. Until 2026-01-01T00:00:00.501Z"));
        // Whatever a peer says its clock is.
        HeldKey broken =
                new HeldKey(
                        MemberStates.of(
                                -1,
                                MemberState.Condition.WHOLE,
                                0,
                                0,
                                Long.MAX_VALUE,
                                Long.MAX_VALUE),
                        Long.MAX_VALUE,
                        false,
                        List.of(value(new Timestamp(-1, -1))),
                        List.of(),
                        List.of(new HeldKey.Hint(-1, new Timestamp(-1, -1))));
        assertThat(of(broken, broken, broken)).isNotEmpty();
    }

    private static HeldKey deleted(long completeMillis, long gcWatermarkMillis) {
        return new HeldKey(
                voting(completeMillis),
                gcWatermarkMillis,
                true,
                List.of(tombstone(NEW)),
                List.of(),
                List.of());
    }

    @Test
    void whyATombstoneIsStillThere() {
        long then = NEW.wallMillis();
        assertThat(of(deleted(then, 0), deleted(then + 1, 0), deleted(0, 0), null))
                .contains(
                        "n2 still has the tombstone "
                                + NEW
                                + ": it cannot be dropped before every member has confirmed that it is"
                                + " complete up to then, and n1 has confirmed up to 2025-12-31T23:59:59.000Z, n3 has"
                                + " confirmed nothing yet, n4 does not answer.");
        HeldKey all = deleted(then + 1, then);
        assertThat(of(all, all, all))
                .anyMatch(s -> s.startsWith("n1 still has") && s.contains("all have, which"));
        HeldKey settled = deleted(then + 1, then + 1);
        assertThat(of(settled, settled, holding()))
                .anyMatch(s -> s.startsWith("n1 still has") && s.contains("next compactions"))
                .noneMatch(s -> s.startsWith("n3 still has"));
        assertThat(of(holding(value(NEW), tombstone(OLD)), holding(value(NEW)), holding()))
                .noneMatch(s -> s.contains("still has"));
    }

    /** A member that has dropped it and one that has not say the same to a read. */
    @Test
    void aTombstoneBelowTheWatermarkIsAbsent() {
        HeldKey settled = deleted(NEW.wallMillis() + 1, NEW.wallMillis() + 1);
        assertThat(of(settled, holding(), holding()).getFirst())
                .contains("finds nothing (404): none of its owners has an entry that counts");
        Held expired = new Held(Place.Active.ACTIVE, NEW, false, 3, 5, NOW);
        HeldKey gone = new HeldKey(voting(0), NOW, true, List.of(expired), List.of(), List.of());
        assertThat(of(gone, holding(), holding()).getFirst()).contains("finds nothing (404)");
        HeldKey lives =
                new HeldKey(voting(0), NOW, true, List.of(value(NEW)), List.of(), List.of());
        assertThat(of(lives, lives, holding()).getFirst()).contains("returns " + NEW);
    }

    @Test
    void aMemberThatRebuildsDoesNotVote() {
        HeldKey rebuilding =
                new HeldKey(
                        MemberStates.of(1, MemberState.Condition.REBUILDING, 2, NOW, 0, 0),
                        0,
                        true,
                        List.of(value(NEW)),
                        List.of(),
                        List.of());
        assertThat(of(rebuilding, holding(value(OLD)), holding(value(OLD))))
                .anyMatch(sentence -> sentence.contains("returns " + OLD))
                .anyMatch(sentence -> sentence.startsWith("n1 does not vote"));
        assertThat(of(rebuilding, holding(value(OLD)), null).getFirst()).contains("504");
    }

    @Test
    void hintsAndMissingAnswersAreReported() {
        HeldKey keeps =
                new HeldKey(
                        voting(0),
                        0,
                        false,
                        List.of(value(NEW)),
                        List.of(),
                        List.of(new HeldKey.Hint(3, NEW), new HeldKey.Hint(99, NEW)));
        assertThat(of(keeps, holding(value(NEW)), null))
                .contains(
                        "n1 has a hint for n3: it will send " + NEW + " when the member is back.",
                        "n1 has a hint for member 99: it will send "
                                + NEW
                                + " when the member is back.",
                        "n1 may have hints, or entries in more places than are listed.",
                        "n3 did not answer: what it has is unknown.");
    }

    @Test
    void anExpiredValueIsReportedAsExpired() {
        Held expired = new Held(Place.Active.ACTIVE, NEW, false, 3, 5, NOW);
        Held lives = new Held(Place.Active.ACTIVE, NEW, false, 3, 5, NOW + 1);
        assertThat(of(holding(expired), holding(expired), holding()).getFirst())
                .contains("which has expired (404)");
        assertThat(of(holding(lives), holding(lives), holding()).getFirst()).contains("a value");
    }
}
