package dev.quorate.router.coordinator.readwrite;

import dev.quorate.router.coordinator.operation.Outcome;
import dev.quorate.router.message.ReplicaAnswer;
import dev.quorate.router.quorum.Electorate;
import dev.quorate.router.replica.Owner;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * Reads as {@linkplain Transcript scripts}. A read begins with its quorum and the replicas in the
 * order in which they are asked, {@code read 2/3: n1 n2 n3}; its clock shows 1,000. {@code late} is
 * the moment at which it takes longer than nearly all reads do, and {@code to a repair} stands
 * before the answer of a replica to what the read has sent it.
 */
class ReadRoundTest {

    private static final long NOW_MILLIS = 1_000;

    // ---- Who is asked.

    @Test
    void oneIsAskedForTheEntryAndTheOthersForItsDigest() {
        assertSteps(
                """
                read 2/3: n1 n2 n3
                    ask n1 for the entry
                    ask n2 for the digest
                n1 holds v5 "a"
                n2 has digest v5 "a"
                    answer v5 "a"
                """);
    }

    @Test
    void theDigestMayComeFirst() {
        assertSteps(
                """
                read 2/3: n1 n2 n3
                    ask n1 for the entry
                    ask n2 for the digest
                n2 has digest v5 "a"
                n1 holds v5 "a"
                    answer v5 "a"
                """);
    }

    @Test
    void aDigestOfSomethingNewerIsNoVote() {
        assertSteps(
                """
                read 2/3: n1 n2 n3
                    ask n1 for the entry
                    ask n2 for the digest
                n1 holds v5 "a"
                n2 has digest v7 "b"
                    ask n2 for the entry
                n2 holds v7 "b"
                    write v7 to n1, n3
                n1 stored, to a repair
                    answer v7 "b"
                """);
    }

    @Test
    void aDigestOfSomethingOlderIsAVoteAndRepaired() {
        assertSteps(
                """
                read 2/3: n1 n2 n3
                    ask n1 for the entry
                    ask n2 for the digest
                n1 holds v7 "b"
                n2 has digest v5 "a"
                    write v7 to n2, n3
                n3 stored, to a repair
                    answer v7 "b"
                n2 stored, to a repair
                """);
    }

    @Test
    void whereTheEntryDoesNotComeTheDigestIsAskedForAgain() {
        assertSteps(
                """
                read 2/3: n1 n2 n3
                    ask n1 for the entry
                    ask n2 for the digest
                n2 has digest v5 "a"
                n1 fails TIMEOUT
                    ask n2 for the entry
                    ask n3 for the digest
                n2 holds v5 "a"
                n3 holds v5 "a"
                    answer v5 "a"
                """);
    }

    @Test
    void oneMoreIsAskedForEachThatFails() {
        assertSteps(
                """
                read 2/3: n1 n2 n3
                    ask n1 for the entry
                    ask n2 for the digest
                n2 fails UNREACHABLE
                    ask n3 for the digest
                n3 has digest v5 "a"
                n1 holds v5 "a"
                    answer v5 "a"
                """);
    }

    @Test
    void aLateReadAsksOneMoreAndThenAll() {
        assertSteps(
                """
                read 2/5: n1 n2 n3 n4 n5
                    ask n1 for the entry
                    ask n2 for the digest
                late
                    ask n3 for the entry
                late
                    ask n4 for the entry
                    ask n5 for the entry
                late
                n4 holds v5 "a"
                n5 holds v5 "a"
                    answer v5 "a"
                """);
    }

    @Test
    void aReadIsSettledWhenAllWereAsked() {
        assertSteps(
                """
                read 1/1: n1
                    ask n1 for the entry
                late
                n1 holds nothing
                    answer nothing
                late
                """);
    }

    @Test
    void aReplicaAnswersOnce() {
        assertSteps(
                """
                read 2/3: n1 n2 n3
                    ask n1 for the entry
                    ask n2 for the digest
                n1 holds v5 "a"
                n1 holds v5 "a"
                n1 fails TIMEOUT
                n2 has digest v5 "a"
                    answer v5 "a"
                """);
    }

    // ---- What the answers mean.

    @Test
    void theNewestWins() {
        assertSteps(
                """
                read 2/2: n1 n2
                    ask n1 for the entry
                    ask n2 for the digest
                n2 holds v7 "b" from 2
                n1 holds v5 "a" from 2
                    write v7 to n1
                n1 stored, to a repair
                    answer v7 "b"
                """);
    }

    @Test
    void aTombstoneIsAnAnswerToo() {
        assertSteps(
                """
                read 2/3: n1 n2 n3
                    ask n1 for the entry
                    ask n2 for the digest
                n1 holds tombstone v7
                n2 holds tombstone v7
                    answer deleted at v7
                """);
    }

    @Test
    void anExpiredEntryAndItsTombstoneAreTheSame() {
        assertSteps(
                """
                read 2/3: n1 n2 n3
                    ask n1 for the entry
                    ask n2 for the digest
                n1 holds v5 "a" expires at 900
                n2 holds tombstone v5
                    answer deleted at v5
                """);
    }

    @Test
    void anEntryLivesUntilItsMoment() {
        assertSteps(
                """
                read 1/1: n1
                    ask n1 for the entry
                n1 holds v5 "a" expires at 1001
                    answer v5 "a"
                """);
        assertSteps(
                """
                read 1/1: n1
                    ask n1 for the entry
                n1 holds v5 "a" expires at 1000
                    answer deleted at v5
                """);
    }

    @Test
    void twoBodiesUnderOneVersionAreRepaired() {
        assertSteps(
                """
                read 2/3: n1 n2 n3
                    ask n1 for the entry
                    ask n2 for the digest
                n1 holds v5 "a"
                n2 holds v5 "b"
                    write v5 to n1, n3
                n1 stored, to a repair
                    answer v5 "b"
                """);
    }

    @Test
    void noReplicaHasIt() {
        assertSteps(
                """
                read 2/3: n1 n2 n3
                    ask n1 for the entry
                    ask n2 for the digest
                n1 holds nothing
                n2 holds nothing
                    answer nothing
                """);
    }

    // ---- Repair.

    @Test
    void absenceIsRepairedBeforeTheAnswer() {
        assertSteps(
                """
                read 2/3: n1 n2 n3
                    ask n1 for the entry
                    ask n2 for the digest
                n1 holds v5 "a"
                n2 holds nothing
                    write v5 to n2, n3
                n2 fails TIMEOUT, to a repair
                n3 stored, to a repair
                    answer v5 "a"
                """);
    }

    @Test
    void ofFiveAMajorityOfHoldersIsEnoughToAnswerAtOnce() {
        assertSteps(
                """
                read 4/5: n1 n2 n3 n4 n5
                    ask n1 for the entry
                    ask n2 for the digest
                    ask n3 for the digest
                    ask n4 for the digest
                n1 holds v5 "a" from 5
                n2 holds v5 "a" from 5
                n3 holds v5 "a" from 5
                n4 holds nothing
                    answer v5 "a"
                    write v5 to n4, n5
                """);
    }

    @Test
    void aRepairThatTooFewTakeFailsTheRead() {
        assertSteps(
                """
                read 2/3: n1 n2 n3
                    ask n1 for the entry
                    ask n2 for the digest
                n1 holds v5 "a"
                n2 holds nothing
                    write v5 to n2, n3
                n2 fails DISK_FULL, to a repair
                n3 fails TIMEOUT, to a repair
                    fail: quorum failed; done by [n1]; n2 disk_full, n3 timeout
                """);
    }

    @Test
    void anEntryWithASmallerFromIsReturnedThoughItCannotReachAMajority() {
        assertSteps(
                """
                read 2/3: n1 n2 n3
                    ask n1 for the entry
                    ask n2 for the digest
                n1 holds v5 "a" from 2
                n2 fails UNREACHABLE
                    ask n3 for the digest
                n3 holds nothing
                    write v5 to n2
                n2 fails UNREACHABLE, to a repair
                    answer v5 "a", and defer a repair
                """);
    }

    @Test
    void aReplicaThatIsNoOwnerGetsTheNewestOnlyInPlaceOfSomethingOlder() {
        assertSteps(
                """
                read 3/3: n1 n2 n3
                    ask n1 for the entry
                    ask n2 for the digest
                    ask n3 for the digest
                n1 holds v5 "a" from 1
                n2 holds nothing
                n3 holds v4 "old" from 3
                    answer v5 "a"
                    write v5 to n3
                """);
    }

    @Test
    void belowAMajorityTheRepairIsDeferred() {
        assertSteps(
                """
                read 2/5: n1 n2 n3 n4 n5
                    ask n1 for the entry
                    ask n2 for the digest
                n1 holds v5 "a"
                n2 holds nothing
                    answer v5 "a", and defer a repair
                """);
    }

    @Test
    void aLateAnswerMayDeferARepair() {
        assertSteps(
                """
                read 1/3: n1 n2 n3
                    ask n1 for the entry
                late
                    ask n2 for the entry
                late
                    ask n3 for the entry
                n1 holds v5 "a"
                    answer v5 "a"
                n2 holds v5 "a"
                n3 holds nothing
                    defer a repair
                """);
    }

    @Test
    void aDeferredRepairDefersNone() {
        assertSteps(
                """
                deferred read 1/3: n1 n2 n3
                    ask n1 for the entry
                late
                    ask n2 for the entry
                n1 holds v5 "a"
                    answer v5 "a"
                n2 holds nothing
                """);
    }

    // ---- Failure.

    @Test
    void aReadFailsAsSoonAsTooFewAreLeft() {
        assertSteps(
                """
                read 2/3: n1 n2 n3
                    ask n1 for the entry
                    ask n2 for the digest
                n1 fails CORRUPT
                    ask n3 for the entry
                n2 fails TIMEOUT
                    fail: quorum failed; done by []; n1 corrupt, n2 timeout
                n3 holds v5 "a"
                """);
    }

    @Test
    void whereOnlyRoomIsWantingItIsRefused() {
        assertSteps(
                """
                read 2/3: n1 n2 n3
                    ask n1 for the entry
                    ask n2 for the digest
                n1 fails OVERLOADED
                    ask n3 for the entry
                n2 fails TIMEOUT
                    fail: refused, n1: said so
                """);
    }

    @Test
    void aValueWithoutRoomIsRequestedFromNoOtherReplica() {
        assertSteps(
                """
                read 2/3: n1 n2 n3
                    ask n1 for the entry
                    ask n2 for the digest
                n1 holds v5 "a", without room
                    fail: refused, n1: this node has no room for more large values
                """);
    }

    // ---- Two placements.

    @Test
    void commonMembersSufficeForBothGroups() {
        assertSteps(
                """
                read 2/3 of n1 n2 n3 and 2/3 of n1 n2 n4: n1 n2 n3 n4
                    ask n1 for the entry
                    ask n2 for the digest
                n1 holds v5 "a"
                n2 has digest v5 "a"
                    answer v5 "a"
                """);
    }

    @Test
    void whereACommonMemberFailsOneOfEachGroupIsAsked() {
        assertSteps(
                """
                read 2/3 of n1 n2 n3 and 2/3 of n1 n2 n4: n1 n2 n3 n4
                    ask n1 for the entry
                    ask n2 for the digest
                n2 fails TIMEOUT
                    ask n3 for the digest
                    ask n4 for the digest
                n1 holds v5 "a"
                n3 has digest v5 "a"
                n4 has digest v5 "a"
                    answer v5 "a"
                """);
    }

    @Test
    void anAnswerOfOneGroupDoesNotCountForTheOther() {
        assertSteps(
                """
                read 1/1 of n1 and 1/1 of n2: n1 n2
                    ask n1 for the entry
                    ask n2 for the digest
                n1 holds v5 "a"
                n2 holds nothing
                    write v5 to n2
                n2 stored, to a repair
                    answer v5 "a"
                """);
    }

    @Test
    void aRemovedMemberIsAskedOnlyIfNeeded() {
        assertSteps(
                """
                read 2/3 of n1 n2 n3 and 2/2 of n1 n2: n1 n2 n3
                    ask n1 for the entry
                    ask n2 for the digest
                n2 holds v5 "a"
                n1 holds v5 "a"
                    answer v5 "a"
                """);
    }

    @Test
    void aQuorumOfOneGroupIsNotEnoughIfTheOtherCannotAnswer() {
        assertSteps(
                """
                read 2/3 of n1 n2 n3 and 2/3 of n4 n5 n6: n1 n4 n2 n5 n3 n6
                    ask n1 for the entry
                    ask n4 for the digest
                    ask n2 for the digest
                    ask n5 for the digest
                n1 holds v5 "a"
                n2 has digest v5 "a"
                n4 fails UNREACHABLE
                    ask n3 for the digest
                    ask n6 for the digest
                n5 fails UNREACHABLE
                    fail: quorum failed; done by [n1, n2]; n4 unreachable, n5 unreachable
                """);
    }

    @Test
    void aLateReadAsksOneMoreOfEachGroup() {
        assertSteps(
                """
                read 2/3 of n1 n2 n3 and 2/3 of n1 n2 n4: n1 n2 n3 n4
                    ask n1 for the entry
                    ask n2 for the digest
                late
                    ask n3 for the entry
                    ask n4 for the entry
                n3 holds v5 "a"
                n1 holds v5 "a"
                n4 holds v5 "a"
                    answer v5 "a"
                """);
    }

    @Test
    void aRepairGoesToAMajorityOfEachGroup() {
        assertSteps(
                """
                read 2/3 of n1 n2 n3 and 2/3 of n1 n2 n4: n1 n2 n3 n4
                    ask n1 for the entry
                    ask n2 for the digest
                n1 holds v7 "b"
                n2 has digest v5 "a"
                    write v7 to n2, n3, n4
                n3 stored, to a repair
                n4 stored, to a repair
                    answer v7 "b"
                n2 stored, to a repair
                """);
    }

    @Test
    void aRepairThatOneGroupCannotStoreFails() {
        assertSteps(
                """
                read 2/3 of n1 n2 n3 and 2/3 of n1 n2 n4: n1 n2 n3 n4
                    ask n1 for the entry
                    ask n2 for the digest
                n1 holds v7 "b"
                n2 has digest v5 "a"
                    write v7 to n2, n3, n4
                n2 fails TIMEOUT, to a repair
                n4 stored, to a repair
                n3 fails TIMEOUT, to a repair
                    fail: quorum failed; done by [n1]; n2 timeout, n3 timeout
                """);
    }

    @Test
    void belowAMajorityOfAGroupNoReadWaitsForARepair() {
        assertSteps(
                """
                read 1/3 of n1 n2 n3 and 1/3 of n2 n3 n4: n2 n3 n1 n4
                    ask n2 for the entry
                n2 holds v5 "a"
                    answer v5 "a"
                """);
    }

    private static void assertSteps(String script) {
        Read read = new Read();
        Transcript.assertSteps(script, read::take);
    }

    /** Drives one round. */
    private static final class Read {

        private Owner[] replicas = {};
        private Electorate electorate = Electorate.majority(1);
        private ReadRound round = new ReadRound(electorate, 3, replicas, 0, 0, false);
        private List<Owner> targets = List.of();
        private RepairRound repair =
                new RepairRound(
                        Transcript.NO_ENTRY,
                        Transcript.owners(List.of("n1")),
                        Electorate.majority(1),
                        List.of(),
                        List.of(),
                        0);

        List<String> take(String event) {
            if (event.contains("read ")) {
                return begin(event);
            }
            if (event.equals("late")) {
                return steps(round.onDelay());
            }
            String[] parts = event.split(" ", 2);
            String[] words = parts[1].split(", ", 2);
            ReplicaAnswer answer = Transcript.answer(words[0]);
            String how = words.length > 1 ? words[1] : "";
            if (how.equals("to a repair")) {
                int target = Transcript.index(targets.toArray(Owner[]::new), parts[0]);
                return steps(round.repaired(repair.answered(target, answer, 0)));
            }
            int index = Transcript.index(replicas, parts[0]);
            return steps(round.answered(index, answer, !how.equals("without room"), 0));
        }

        private List<String> begin(String event) {
            String[] parts = event.replace("deferred ", "").replace("read ", "").split(": ", 2);
            List<String> names = Arrays.asList(parts[1].split(" "));
            replicas = Transcript.owners(names);
            electorate = Transcript.electorate(parts[0], replicas);
            boolean isDeferred = event.startsWith("deferred");
            round = new ReadRound(electorate, 3, replicas, 0, NOW_MILLIS, isDeferred);
            return steps(round.next());
        }

        private List<String> steps(ReadRound.Step first) {
            List<String> lines = new ArrayList<>();
            ReadRound.Step step = first;
            while (step instanceof ReadRound.Step.Ask(int replica, boolean isForEntry)) {
                String what = isForEntry ? "entry" : "digest";
                lines.add("ask %s for the %s".formatted(replicas[replica].name(), what));
                step = round.next();
            }
            switch (step) {
                case ReadRound.Step.Wait wait -> {}
                case ReadRound.Step.Ask ask -> throw new AssertionError(ask);
                case ReadRound.Step.Answer(Outcome outcome, boolean isRepairDeferred) ->
                        lines.add(
                                "answer "
                                        + Transcript.outcome(outcome)
                                        + (isRepairDeferred ? ", and defer a repair" : ""));
                case ReadRound.Step.Fail(Outcome outcome) ->
                        lines.add("fail: " + Transcript.outcome(outcome));
                case ReadRound.Step.DeferRepair defer -> lines.add("defer a repair");
                case ReadRound.Step.Repair sent -> {
                    Owner[] owners =
                            electorate.isJoint() ? replicas : Arrays.copyOf(replicas, sent.from());
                    Electorate majority =
                            electorate.isJoint()
                                    ? electorate.majority()
                                    : Electorate.majority(owners.length);
                    repair = round.repair(owners, majority, 0);
                    targets = repair.targets();
                    lines.addAll(steps(round.repaired(repair.begun())));
                    List<String> names = targets.stream().map(Owner::name).toList();
                    lines.add(
                            "write %s to %s"
                                    .formatted(
                                            Transcript.version(sent.entry().timestamp()),
                                            String.join(", ", names)));
                }
            }
            return lines;
        }
    }
}
