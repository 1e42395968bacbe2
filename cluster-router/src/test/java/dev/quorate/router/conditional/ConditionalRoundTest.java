package dev.quorate.router.conditional;

import static dev.quorate.router.conditional.ConditionalTranscript.at;
import static dev.quorate.router.conditional.ConditionalTranscript.proposal;
import static dev.quorate.router.conditional.ConditionalTranscript.value;
import static dev.quorate.router.conditional.ConditionalTranscript.version;
import static org.assertj.core.api.Assertions.assertThat;

import dev.quorate.router.conditional.ConditionalRequest.Condition;
import dev.quorate.router.quorum.Electorate;
import dev.quorate.router.quorum.QuorumSpec;
import dev.quorate.storage.Entry;
import dev.quorate.storage.Timestamp;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class ConditionalRoundTest {

    private static final Current A = value(version(5), "a");
    private static final Condition IS_A = new Condition.Is(version(5));

    private static ConditionalTranscript first(Condition condition) {
        return new ConditionalTranscript(request(false, condition));
    }

    private static ConditionalTranscript again(Condition condition) {
        return new ConditionalTranscript(request(true, condition));
    }

    private static ConditionalRequest request(boolean isRetry, Condition condition) {
        byte[] value = "mine".getBytes(StandardCharsets.UTF_8);
        return new ConditionalRequest(at(9), isRetry, condition, value, Entry.NEVER, 3, null);
    }

    private static Accepted accepted(int ballot, int origin, Timestamp result, String value) {
        return new Accepted(at(ballot), proposal(origin, value(result, value)));
    }

    @Test
    void twoRoundsWithoutContention() {
        assertThat(first(IS_A).begins(10).promises(1, A).promises(2, A).stamps(12).does(1).does(3))
                .hasToString(
                        """
                        begins with 10
                            prepare 10
                        n1 promises, has v5 "a"
                        n2 promises, has v5 "a"
                            stamp after 5
                        the clock gives 12
                            accept 10 after v5 of 9: v5.12 "mine"
                        n1 does so
                        n3 does so
                            written v5.12, then store v5.12 "mine"
                        """);
    }

    @Test
    void theProposedValueIsOwnedByAsManyReplicasAsTheRequestSays() {
        ConditionalRound round = round(request(false, IS_A), 3, ConditionalRound.NO_OWNER);
        round.begin(at(10));
        AcceptorAnswer promised = new AcceptorAnswer.Promised(A, 0, null, Map.of(), null);
        round.answered(0, promised);
        round.answered(1, promised);
        assertThat(round.stamped(at(12)))
                .isInstanceOfSatisfying(
                        ConditionalStep.Accept.class,
                        accept ->
                                assertThat(accept.proposal().entry())
                                        .isNotNull()
                                        .returns(3, Current::from));
    }

    @Test
    void oneRoundInTheLead() {
        Current last = value(version(5, 8), "last");
        Condition isLast = new Condition.Is(last.version());
        assertThat(first(isLast).leads(10, last).stamps(12).does(1).does(3))
                .hasToString(
                        """
                        leads with 10 and v5.8 "last"
                            stamp after 8
                        the clock gives 12
                            accept 10 after v5.8 of 9: v5.12 "mine"
                        n1 does so
                        n3 does so
                            written v5.12, then store v5.12 "mine"
                        """);
        assertThat(first(isLast).leads(10, last).stamps(12).does(1).does(3).lead())
                .extracting(Lead::ballot, lead -> lead.current().version())
                .containsExactly(at(10), version(5, 12));
        assertThat(first(isLast).leads(10, last).stamps(12).does(1).lead()).isNull();
    }

    private static ConditionalTranscript ownerInTheLead() {
        Current last = value(version(5, 8), "last");
        return new ConditionalTranscript(
                        request(false, new Condition.Is(last.version())), Electorate.majority(3), 1)
                .leads(10, last)
                .stamps(12);
    }

    /** Two of three are a majority: n1, and whoever accepts it next. */
    @Test
    void anOwnerAcceptsItsProposalItselfFirst() {
        assertThat(ownerInTheLead().does(1).does(2))
                .hasToString(
                        """
                        leads with 10 and v5.8 "last"
                            stamp after 8
                        the clock gives 12
                            itself accept 10 after v5.8 of 9: v5.12 "mine"
                        n1 does so
                            others decide 10 after v5.8 of 9: v5.12 "mine"
                        n2 does so
                            written v5.12, then store v5.12 "mine"
                        """);
    }

    @Test
    void ifAnOwnerCannotAcceptItItselfTheOthersMayBeAMajority() {
        String others = "    others accept 10 after v5.8 of 9: v5.12 \"mine\"\n";
        assertThat(ownerInTheLead().fails(1)).asString().endsWith("n1 fails\n" + others);
        assertThat(ownerInTheLead().fails(1).does(2).does(3))
                .asString()
                .endsWith("n3 does so\n    written v5.12, then store v5.12 \"mine\"\n");
        assertThat(ownerInTheLead().fails(1).does(2).fails(3))
                .asString()
                .endsWith("    retry after 10\n");
        assertThat(ownerInTheLead().hasMovedTo(1, version(5))).asString().endsWith(others);
        assertThat(ownerInTheLead().isLate()).asString().endsWith("n1 is late\n" + others);
        assertThat(ownerInTheLead().isLate().does(2).does(3))
                .asString()
                .endsWith("    written v5.12, then store v5.12 \"mine\"\n");
    }

    @Test
    void anOwnerThatHasPromisedALaterBallotAsksNobody() {
        assertThat(ownerInTheLead().isOutbid(1, 14)).asString().endsWith("    retry after 14\n");
    }

    @Test
    void anOwnAnswerThatComesLateChangesNothing() {
        assertThat(ownerInTheLead().does(1).isLate()).asString().endsWith("n1 is late\n");
    }

    /** One owner decides alone; of five, nobody can know that its acceptance decides. */
    @Test
    void howManyHaveToAcceptItDependsOnTheOwners() {
        assertThat(asked(1, 0)).isEqualTo("ALL true");
        assertThat(asked(1, ConditionalRound.NO_OWNER)).isEqualTo("ALL true");
        assertThat(asked(2, 0)).isEqualTo("SELF false");
        assertThat(asked(3, 0)).isEqualTo("SELF false");
        assertThat(asked(3, ConditionalRound.NO_OWNER)).isEqualTo("ALL false");
        assertThat(asked(4, 0)).isEqualTo("ALL false");
        assertThat(asked(5, 0)).isEqualTo("ALL false");
    }

    private static ConditionalRound round(ConditionalRequest request, int owners, int self) {
        return new ConditionalRound(request, Electorate.majority(owners), self);
    }

    private static String asked(int owners, int self) {
        ConditionalRound round = round(request(false, IS_A), owners, self);
        round.beginInLead(new Lead(at(10), A));
        ConditionalStep.Accept accept = (ConditionalStep.Accept) round.stamped(at(12));
        return accept.owners() + " " + accept.decides();
    }

    /** Somebody else may have written since, so that this 412 could show what is superseded. */
    @Test
    void whoeverLeadsAsksBeforeA412() {
        assertThat(first(IS_A).leads(10, value(version(5, 8), "last")).stamps(12).begins(13))
                .asString()
                .endsWith(
                        """
                            retry after 10
                        begins with 13
                            prepare 13
                        """);
    }

    @Test
    void aRetryIsNotProposedInTheLead() {
        assertThat(again(IS_A).leads(10, A).stamps(12)).asString().endsWith("retry after 10\n");
    }

    /**
     * It began after the plain write was acknowledged, so one replica's acceptance is not enough.
     */
    @Test
    void whatWasProposedInTheLeadIsClosedWithNobodyIfAMajorityRefusedIt() {
        Accepted own = inLead(10, 9);
        Current plain = value(version(13), "plain");
        assertThat(
                        first(IS_A)
                                .leads(10, A)
                                .stamps(12)
                                .does(1)
                                .hasMovedTo(2, version(13))
                                .hasMovedTo(3, version(13))
                                .begins(14)
                                .promises(1, plain, null, Map.of(version(5), own), null)
                                .promises(2, plain)
                                .stamps(15))
                .asString()
                .endsWith("    close 14 after v5 nobody\n");
    }

    /** A replica that is known to be down does not leave it open. */
    @Test
    void whatWasProposedInTheLeadIsClosedWithNobodyIfAMajorityCannotHaveIt() {
        Accepted own = inLead(10, 9);
        Current plain = value(version(13), "plain");
        assertThat(
                        first(IS_A)
                                .leads(10, A)
                                .stamps(12)
                                .isNotAsked(3)
                                .does(1)
                                .hasMovedTo(2, version(13))
                                .begins(14)
                                .promises(1, plain, null, Map.of(version(5), own), null)
                                .promises(2, plain)
                                .isNotAsked(3)
                                .stamps(15))
                .asString()
                .endsWith("    close 14 after v5 nobody\n");
    }

    @Test
    void whatWasProposedInTheLeadIsDoneIfAMajorityAcceptedIt() {
        Map<Timestamp, Accepted> own = Map.of(version(5), inLead(10, 9));
        Current plain = value(version(13), "plain");
        assertThat(
                        again(IS_A)
                                .begins(14)
                                .promises(1, plain, null, own, null)
                                .promises(2, plain, null, own, null)
                                .stamps(15))
                .asString()
                .endsWith("    close 14 after v5 of 9 without a value\n");
    }

    @Test
    void whatWasProposedInTheLeadIsUndecidedWhileTheThirdReplicaIsSilent() {
        Map<Timestamp, Accepted> own = Map.of(version(5), inLead(10, 9));
        Current plain = value(version(13), "plain");
        assertThat(
                        again(IS_A)
                                .begins(14)
                                .promises(1, plain, null, own, null)
                                .promises(2, plain)
                                .fails(3)
                                .stamps(15))
                .asString()
                .endsWith("    undecided\n");
    }

    /** While the version is current, a majority confirms it: whoever meets it finishes it. */
    @Test
    void whatWasProposedInTheLeadIsFinishedWhileItsVersionIsCurrent() {
        assertThat(first(IS_A).begins(14).promises(1, A, inLead(10, 6)).promises(2, A).stamps(15))
                .asString()
                .endsWith("    accept 14 after v5 of 6: v5.12 \"led\"\n");
    }

    private static Accepted inLead(int ballot, int origin) {
        Current entry = value(version(5, 12), "led");
        return new Accepted(
                at(ballot),
                new Proposal(at(origin), true, version(5), false, true, entry.version(), entry, 0));
    }

    @Test
    void theLeadIsLost() {
        assertThat(
                        first(IS_A)
                                .leads(10, A)
                                .stamps(12)
                                .does(1)
                                .isOutbid(2, 20)
                                .hasMovedTo(3, version(13))
                                .begins(21))
                .asString()
                .endsWith(
                        """
                            retry after 20
                        begins with 21
                            prepare 21 about v5
                        """);
    }

    @Test
    void theConditionDoesNotHold() {
        assertThat(
                        first(new Condition.Is(version(4)))
                                .begins(10)
                                .promises(1, A)
                                .promises(2, A)
                                .stamps(12))
                .asString()
                .endsWith("    unmet: v5 \"a\"\n");
    }

    @Test
    void whatA412ShowsIsFirstStoredByAMajority() {
        assertThat(
                        first(Condition.Absent.ABSENT)
                                .begins(10)
                                .promises(1, A)
                                .promises(2, value(version(4), "old"))
                                .stamps(12)
                                .does(1)
                                .does(2))
                .hasToString(
                        """
                        begins with 10
                            prepare 10
                        n1 promises, has v5 "a"
                        n2 promises, has v4 "old"
                            stamp after 5
                        the clock gives 12
                            store v5 "a"
                        n1 does so
                        n2 does so
                            unmet: v5 "a"
                        """);
    }

    @Test
    void whatOneReplicaAcceptedIsDecidedFirst() {
        assertThat(
                        first(IS_A)
                                .begins(10)
                                .promises(1, A, accepted(7, 6, version(5, 8), "other"))
                                .promises(2, A)
                                .stamps(12)
                                .does(1)
                                .does(2)
                                .does(1)
                                .does(2))
                .hasToString(
                        """
                        begins with 10
                            prepare 10
                        n1 promises, has v5 "a", accepted of 6: v5.8 "other"
                        n2 promises, has v5 "a"
                            stamp after 8
                        the clock gives 12
                            accept 10 after v5 of 6: v5.8 "other"
                        n1 does so
                        n2 does so
                            store v5.8 "other"
                        n1 does so
                        n2 does so
                            unmet: v5.8 "other"
                        """);
    }

    @Test
    void ofSeveralThatWereAcceptedTheLatestBallotCounts() {
        assertThat(
                        first(IS_A)
                                .begins(10)
                                .promises(1, A, accepted(6, 3, version(5, 6), "one"))
                                .promises(2, A, accepted(8, 4, version(5, 7), "other"))
                                .stamps(12))
                .asString()
                .endsWith("    accept 10 after v5 of 4: v5.7 \"other\"\n");
    }

    @Test
    void aLaterBallotStandsInTheWay() {
        assertThat(
                        first(IS_A)
                                .begins(10)
                                .promises(1, A)
                                .promises(2, A)
                                .stamps(12)
                                .does(1)
                                .isOutbid(2, 20)
                                .isOutbid(3, 15)
                                .begins(21))
                .asString()
                .endsWith(
                        """
                        n2 has promised 20
                        n3 has promised 15
                            retry after 20
                        begins with 21
                            prepare 21 about v5
                        """);
    }

    /** It was proposed and one replica may have accepted it: a 412 has to rule that out. */
    @Test
    void anOwnProposalIsClosedBeforeA412() {
        Current plain = value(version(13), "plain");
        assertThat(
                        first(IS_A)
                                .begins(10)
                                .promises(1, A)
                                .promises(2, A)
                                .stamps(12)
                                .hasMovedTo(1, version(13))
                                .hasMovedTo(2, version(13))
                                .begins(14)
                                .promises(1, plain)
                                .promises(2, plain)
                                .stamps(15)
                                .does(1)
                                .does(2))
                .asString()
                .endsWith(
                        """
                            retry after 10
                        begins with 14
                            prepare 14 about v5
                        n1 promises, has v13 "plain"
                        n2 promises, has v13 "plain"
                            stamp after 13
                        the clock gives 15
                            close 14 after v5 nobody
                        n1 does so
                        n2 does so
                            unmet: v13 "plain"
                        """);
    }

    @Test
    void aRetryFindsThatItWasDone() {
        Current newer = value(version(13), "newer");
        Accepted own = accepted(10, 9, version(5, 12), "mine");
        assertThat(
                        again(IS_A)
                                .begins(20)
                                .promises(1, newer, null, Map.of(version(5), own), null)
                                .promises(2, newer)
                                .stamps(22)
                                .does(1)
                                .does(2))
                .hasToString(
                        """
                        begins with 20
                            prepare 20 about v5
                        n1 promises, has v13 "newer", accepted after v5 of 9: v5.12 "mine"
                        n2 promises, has v13 "newer"
                            stamp after 13
                        the clock gives 22
                            close 20 after v5 of 9 without a value
                        n1 does so
                        n2 does so
                            written v5.12
                        """);
    }

    @Test
    void aRetryWithoutAVersionAsksWhatItWasToSucceed() {
        assertThat(
                        again(Condition.Absent.ABSENT)
                                .begins(20)
                                .promises(1, A, null, Map.of(), new Fate(at(10), version(3), 0))
                                .promises(2, A))
                .asString()
                .endsWith("    prepare 20 about v3\n");
    }

    @Test
    void aRetryIsDeniedForGood() {
        assertThat(
                        again(Condition.Absent.ABSENT)
                                .begins(20)
                                .promises(1, A)
                                .promises(2, A)
                                .stamps(22)
                                .does(1)
                                .does(2))
                .asString()
                .endsWith(
                        """
                            deny 20
                        n1 does so
                        n2 does so
                            unmet: v5 "a"
                        """);
        assertThat(
                        again(Condition.Absent.ABSENT)
                                .begins(20)
                                .promises(1, Current.NOTHING)
                                .promises(
                                        2,
                                        Current.NOTHING,
                                        null,
                                        Map.of(),
                                        new Fate(at(10), null, 0))
                                .stamps(22)
                                .does(1)
                                .does(2))
                .asString()
                .endsWith("    denied\n");
    }

    /** A retry that did not meet that acceptance was proposed to succeed something newer. */
    @Test
    void aVersionIsNotClosedWithAWriteThatWasProposedElsewhereSince() {
        Current newer = value(version(13), "newer");
        Current entry = value(version(5, 8), "other");
        Map<Timestamp, Accepted> other =
                Map.of(
                        version(5),
                        new Accepted(
                                at(7),
                                new Proposal(
                                        at(6),
                                        false,
                                        version(5),
                                        false,
                                        false,
                                        entry.version(),
                                        entry,
                                        0)));
        for (Timestamp since : new Timestamp[] {version(13), version(5)}) {
            assertThat(
                            again(IS_A)
                                    .begins(20)
                                    .promises(1, newer, null, other, null)
                                    .promises(2, newer)
                                    .stamps(22)
                                    .promises(1, newer, null, other, new Fate(at(7), version(5), 0))
                                    .promises(2, newer, null, Map.of(), new Fate(at(9), since, 0))
                                    .stamps(23))
                    .asString()
                    .contains("prepare 20 about v5 about the fate of 6\n")
                    .endsWith(
                            since.equals(version(5))
                                    ? "    close 20 after v5 of 6 without a value\n"
                                    : "    close 20 after v5 nobody\n");
        }
    }

    @Test
    void aRetryOfWhatNobodyHasYetStaysOpen() {
        assertThat(
                        again(new Condition.Is(version(6)))
                                .begins(20)
                                .promises(1, A)
                                .promises(2, A)
                                .stamps(22))
                .asString()
                .endsWith("    undecided\n");
    }

    /** By the stamp that its own successor would have, not by any replica's clock. */
    @Test
    void anExpiredValueIsAbsent() {
        Timestamp before = Timestamp.of(999, 0, 0);
        Timestamp after = Timestamp.of(1_000, 0, 0);
        Current expiring = new Current(version(5), new byte[1], 1_000, 3, null);
        for (Condition condition : new Condition[] {IS_A, Condition.Present.PRESENT}) {
            assertThat(proposes(condition, expiring, before)).isTrue();
            assertThat(proposes(condition, expiring, after)).isFalse();
        }
        assertThat(proposes(Condition.Absent.ABSENT, expiring, before)).isFalse();
        assertThat(proposes(Condition.Absent.ABSENT, expiring, after)).isTrue();
    }

    @Test
    void aTombstoneIsAbsent() {
        Current tombstone = new Current(version(5), null, Entry.NEVER, 3, null);
        assertThat(proposes(Condition.Absent.ABSENT, tombstone, at(12))).isTrue();
        assertThat(proposes(IS_A, tombstone, at(12))).isFalse();
        assertThat(proposes(Condition.Present.PRESENT, null, at(12))).isFalse();
        assertThat(proposes(Condition.Absent.ABSENT, null, at(12))).isTrue();
    }

    /**
     * No replica sees the clock of a 412, so the time of the ballot counts, which they promised.
     */
    @Test
    void aValueHasNotExpiredOnlyBecauseTheClockWasSetSinceTheBallot() {
        Timestamp ahead = Timestamp.of(TimeUnit.DAYS.toMillis(66), 0, 0);
        Current expiring = new Current(version(5), new byte[1], 1_000, 3, null);
        for (Condition condition : new Condition[] {IS_A, Condition.Present.PRESENT}) {
            assertThat(stamped(condition, expiring, ahead))
                    .isEqualTo(new ConditionalStep.Retry(at(10)));
        }
        assertThat(stamped(Condition.Absent.ABSENT, expiring, ahead))
                .isInstanceOf(ConditionalStep.Accept.class);
        Condition other = new Condition.Is(version(6));
        assertThat(stamped(other, expiring, ahead))
                .isInstanceOfSatisfying(
                        ConditionalStep.Answer.class,
                        answer ->
                                assertThat(answer.verdict())
                                        .isEqualTo(new Verdict.Unmet(expiring.asOf(0))));
    }

    private static boolean proposes(Condition condition, @Nullable Current there, Timestamp stamp) {
        return stamped(condition, there, stamp) instanceof ConditionalStep.Accept;
    }

    private static ConditionalStep stamped(
            Condition condition, @Nullable Current there, Timestamp stamp) {
        Current entry = there == null ? Current.NOTHING : there;
        ConditionalRound round = round(request(false, condition), 3, ConditionalRound.NO_OWNER);
        round.begin(at(10));
        AcceptorAnswer promised = new AcceptorAnswer.Promised(entry, 0, null, Map.of(), null);
        round.answered(0, promised);
        round.answered(1, promised);
        return round.stamped(stamp);
    }

    // ---- Two placements: n1, n2 and n3 before the change, n1, n2 and n4 after it.

    private static final Electorate JOINT =
            Electorate.joint(QuorumSpec.majority(3), 0b0111, QuorumSpec.majority(3), 0b1011);

    private static ConditionalTranscript joint(boolean isRetry) {
        return new ConditionalTranscript(request(isRetry, IS_A), JOINT, 0);
    }

    @Test
    void aMajorityOfEachGroupPromisesAndAccepts() {
        assertThat(
                        joint(false)
                                .begins(10)
                                .promises(1, A)
                                .promises(3, A)
                                .promises(4, A)
                                .stamps(12)
                                .does(3)
                                .does(4)
                                .does(2))
                .hasToString(
                        """
                        begins with 10
                            prepare 10
                        n1 promises, has v5 "a"
                        n3 promises, has v5 "a"
                        n4 promises, has v5 "a"
                            stamp after 5
                        the clock gives 12
                            accept 10 after v5 of 9: v5.12 "mine"
                        n3 does so
                        n4 does so
                        n2 does so
                            written v5.12, then store v5.12 "mine"
                        """);
    }

    @Test
    void oneGroupWithoutAMajorityIsARetry() {
        assertThat(joint(false).begins(10).promises(1, A).promises(3, A).fails(2).isOutbid(4, 11))
                .asString()
                .endsWith("    retry after 11\n");
    }

    @Test
    void nobodyDecidesAloneWhileKeysMove() {
        assertThat(
                        new ConditionalTranscript(request(false, IS_A), JOINT, 1)
                                .begins(10)
                                .promises(1, A)
                                .promises(2, A)
                                .stamps(12))
                .asString()
                .endsWith("    accept 10 after v5 of 9: v5.12 \"mine\"\n");
    }

    @Test
    void whatAMajorityOfOneGroupStoresIsStoredAtTheOther() {
        assertThat(
                        joint(false)
                                .begins(10)
                                .promises(1, A)
                                .promises(3, A)
                                .promises(4, Current.NOTHING)
                                .stamps(12))
                .asString()
                .endsWith("    store v5 \"a\"\n");
    }

    @Test
    void theNextBallotMayHaveOtherOwners() {
        assertThat(
                        first(IS_A)
                                .begins(10)
                                .promises(1, A)
                                .promises(2, A)
                                .stamps(12)
                                .does(1)
                                .fails(2)
                                .fails(3)
                                .elects(JOINT)
                                .begins(13)
                                .promises(1, A)
                                .promises(2, A))
                .asString()
                .endsWith(
                        """
                            retry after 10
                        elects 2/3 and 2/3
                        begins with 13
                            prepare 13 about v5
                        n1 promises, has v5 "a"
                        n2 promises, has v5 "a"
                            stamp after 5
                        """);
    }

    /** Two owners refused it in the lead, and one of these is an owner no more. */
    @Test
    void whoRefusedInTheLeadIsForgottenWithItsIndex() {
        Accepted own = inLead(10, 9);
        Current plain = value(version(13), "plain");
        ConditionalTranscript refused =
                first(IS_A)
                        .leads(10, A)
                        .stamps(12)
                        .does(1)
                        .hasMovedTo(2, version(13))
                        .hasMovedTo(3, version(13));
        assertThat(
                        refused.elects(Electorate.majority(3))
                                .begins(14)
                                .promises(1, plain, null, Map.of(version(5), own), null)
                                .promises(2, plain)
                                .fails(3)
                                .stamps(15))
                .asString()
                .endsWith("    undecided\n");
    }

    @Test
    void acceptancesCountInEachGroup() {
        Map<Timestamp, Accepted> own = Map.of(version(5), inLead(10, 9));
        Current plain = value(version(13), "plain");
        ConditionalTranscript ofTheOldOwners =
                joint(true)
                        .begins(14)
                        .promises(1, plain, null, own, null)
                        .promises(3, plain, null, own, null)
                        .promises(4, plain)
                        .promises(2, plain)
                        .stamps(15);
        assertThat(ofTheOldOwners).asString().endsWith("    undecided\n");
        assertThat(
                        joint(true)
                                .begins(14)
                                .promises(1, plain, null, own, null)
                                .promises(2, plain, null, own, null)
                                .stamps(15))
                .asString()
                .endsWith("    close 14 after v5 of 9 without a value\n");
    }

    @Test
    void withoutAMajorityOfTheOldOwnersNothingWasDone() {
        Map<Timestamp, Accepted> own = Map.of(version(5), inLead(10, 9));
        Current plain = value(version(13), "plain");
        assertThat(
                        joint(true)
                                .begins(14)
                                .promises(4, plain, null, own, null)
                                .promises(1, plain, null, own, null)
                                .promises(2, plain)
                                .promises(3, plain)
                                .stamps(15))
                .asString()
                .endsWith("    close 14 after v5 nobody\n");
    }

    @Test
    void answersOfAnotherReplicaTwiceCountOnce() {
        assertThat(first(IS_A).begins(10).promises(1, A).promises(1, A))
                .asString()
                .doesNotContain("stamp");
    }

    @Test
    void aMajorityThatFailsIsARetry() {
        assertThat(first(IS_A).begins(10).promises(1, A).fails(2).fails(3))
                .asString()
                .endsWith("    retry after 10\n");
    }
}
