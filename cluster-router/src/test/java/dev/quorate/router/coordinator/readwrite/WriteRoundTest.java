package dev.quorate.router.coordinator.readwrite;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quorate.router.coordinator.operation.Outcome;
import dev.quorate.router.message.ReplicaAnswer;
import dev.quorate.router.message.ReplicaRequest;
import dev.quorate.router.quorum.Electorate;
import dev.quorate.router.replica.Owner;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Scanner;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * Writes as {@linkplain Transcript scripts}. A write begins with its quorum, the replicas in the
 * order in which they are asked, and the entry: {@code write 2/3: n1 n2 n3: v5 "a"}. {@code
 * meanwhile} stands before what a replica answers while another is being asked, {@code given}
 * before a write whose version the client gave, and {@code restamp as v9} for a clock that gave
 * that; the round before it is {@code first} then.
 */
class WriteRoundTest {

    // ---- Quorum.

    @Test
    void allAreAskedAndTheFastestDecide() {
        assertSteps(
                """
                write 2/3: n1 n2 n3: v5 "a"
                    ask n1, n2, n3
                n3 stored
                n1 stored
                    acknowledge: written as v5
                n2 stored
                """);
    }

    @Test
    void thoseBeyondTheQuorumAreNotNeeded() {
        assertThat(needed(new Write(), "write 2/3: n1 n2 n3: v5 \"a\"", null))
                .containsExactly(true, true, false);
        assertThat(needed(new Write(), "write 1/3: n1 n2 n3: v5 \"a\"", null))
                .containsExactly(true, false, false);
        assertThat(needed(new Write(), "write 3/3: n1 n2 n3: v5 \"a\"", null))
                .containsExactly(true, true, true);
    }

    @Test
    void aFailureMakesAnotherNeeded() {
        assertThat(needed(new Write(), "write 2/3: n1 n2 n3: v5 \"a\"", "n1 fails TIMEOUT"))
                .containsExactly(true, true, true);
    }

    /**
     * Whether each replica is needed.
     *
     * @param first what the first one answers while the others are being asked
     */
    private static List<Boolean> needed(Write write, String begin, @Nullable String first) {
        write.prepare(begin);
        List<Boolean> needed = new ArrayList<>();
        while (write.round.next() instanceof WriteRound.Step.Ask(int _, boolean isNeeded)) {
            needed.add(isNeeded);
            if (first != null && needed.size() == 1) {
                var _ = write.answer(first);
            }
        }
        return needed;
    }

    @Test
    void oneAnswerIsEnoughForOne() {
        assertSteps(
                """
                write 1/3: n1 n2 n3: v5 "a"
                    ask n1, n2, n3
                n2 stored
                    acknowledge: written as v5
                n1 stored
                n3 stored
                """);
    }

    @Test
    void aReplicaAnswersOnce() {
        assertSteps(
                """
                write 2/3: n1 n2 n3: v5 "a"
                    ask n1, n2, n3
                n1 stored
                n1 stored
                n2 stored
                    acknowledge: written as v5
                n2 fails TIMEOUT
                """);
    }

    // ---- Hints.

    @Test
    void aReplicaThatHasFailedByThenMissedTheWrite() {
        assertSteps(
                """
                write 2/3: n1 n2 n3: v5 "a"
                    ask n1, n2, n3
                n2 fails BREAKER_OPEN
                n1 stored
                n3 stored
                    acknowledge: written as v5, missed by n2
                """);
    }

    @Test
    void aReplicaThatFailsAfterwardsMissedTheWriteToo() {
        assertSteps(
                """
                write 2/3: n1 n2 n3: v5 "a"
                    ask n1, n2, n3
                n1 stored
                n3 stored
                    acknowledge: written as v5
                n2 fails TIMEOUT
                    hint for n2
                """);
    }

    @Test
    void aWriteThatFailedLeavesNoHint() {
        assertSteps(
                """
                write 2/3: n1 n2 n3: v5 "a"
                    ask n1, n2, n3
                n1 fails TIMEOUT
                n2 fails TIMEOUT
                n3 stored
                    fail: quorum failed; done by [n3]; n1 timeout, n2 timeout
                """);
    }

    // ---- Failure.

    @Test
    void aFailureWaitsForAllThatWereAsked() {
        assertSteps(
                """
                write 3/3: n1 n2 n3: v5 "a"
                    ask n1, n2, n3
                n1 fails CORRUPT
                n3 stored
                n2 stored
                    fail: quorum failed; done by [n2, n3]; n1 corrupt
                """);
    }

    @Test
    void aReplicaThatCannotHelpAnyMoreIsNotAsked() {
        assertSteps(
                """
                write 3/3: n1 n2 n3: v5 "a"; meanwhile n1 fails BREAKER_OPEN
                    ask n1
                    fail: quorum failed; done by []; n1 breaker_open, n2 not_asked, n3 not_asked
                """);
    }

    @Test
    void aWriteThatFailsOnlyForWantOfRoomIsRefused() {
        assertSteps(
                """
                write 3/3: n1 n2 n3: v5 "a"
                    ask n1, n2, n3
                n1 fails DISK_FULL
                n2 fails OVERLOADED
                n3 fails STOPPING
                    fail: refused, n3: said so
                """);
    }

    @Test
    void aWriteThatMayBeStoredIsNotRefused() {
        assertSteps(
                """
                write 2/3: n1 n2 n3: v5 "a"
                    ask n1, n2, n3
                n1 fails DISK_FULL
                n2 fails TIMEOUT
                n3 fails DISK_FULL
                    fail: quorum failed; done by []; n1 disk_full, n2 timeout, n3 disk_full
                """);
    }

    @Test
    void aWriteOlderThanAnyThatMayComeIsTooOld() {
        assertSteps(
                """
                given write 2/3: n1 n2 n3: v5 "a"
                    ask n1, n2, n3
                n1 fails TOO_OLD
                n2 fails TOO_OLD
                n3 fails BREAKER_OPEN
                    fail: too old
                """);
    }

    @Test
    void aVersionMayBeAnotherWrites() {
        assertSteps(
                """
                given write 2/3: n1 n2 n3: v5 "a"
                    ask n1, n2, n3
                n1 fails VERSION_TAKEN
                n2 fails VERSION_TAKEN
                n3 fails TOO_OLD
                    fail: version taken
                """);
    }

    @Test
    void whereAnotherReplicaHasStoredItAVersionIsNotCalledTaken() {
        assertSteps(
                """
                given write 3/3: n1 n2 n3: v5 "a"
                    ask n1, n2, n3
                n1 fails VERSION_TAKEN
                n2 stored
                n3 stored
                    fail: quorum failed; done by [n2, n3]; n1 version_taken
                """);
    }

    // ---- Restamps.

    @Test
    void aWriteThatMeetsSomethingNewerIsRestampedBeforeTheAnswer() {
        assertSteps(
                """
                write 2/3: n1 n2 n3: v5 "a"
                    ask n1, n2, n3
                n1 stored
                n2 stored and holds v8
                    restamp above v8
                restamp as v9
                    ask n1, n2, n3
                n1 stored
                n3 stored
                    acknowledge: written as v9
                """);
    }

    @Test
    void onceIsEnough() {
        assertSteps(
                """
                write 2/3: n1 n2 n3: v5 "a"
                    ask n1, n2, n3
                n1 stored and holds v8
                n2 stored and holds v7
                    restamp above v8
                restamp as v9
                    ask n1, n2, n3
                n1 stored and holds v12
                n3 stored
                    acknowledge: written as v9
                """);
    }

    @Test
    void aTimeToLiveCountsFromTheLaterStamp() {
        assertSteps(
                """
                write 1/1: n1: v5 "a" expires at 105
                    ask n1
                n1 stored and holds v8
                    restamp above v8
                restamp as v9
                    ask n1
                    to expire at 109
                n1 stored
                    acknowledge: written as v9
                """);
    }

    @Test
    void aGivenVersionDoesNotChange() {
        assertSteps(
                """
                given write 2/3: n1 n2 n3: v5 "a"
                    ask n1, n2, n3
                n1 stored and holds v8
                n2 stored and holds v8
                    acknowledge: written as v5
                """);
    }

    @Test
    void aNewerEntryOfAReplicaThatDoesNotCountIsIgnored() {
        assertSteps(
                """
                write 2/3: n1 n2 n3: v5 "a"
                    ask n1, n2, n3
                n1 stored
                n2 stored
                    acknowledge: written as v5
                n3 stored and holds v8
                """);
    }

    @Test
    void aClockThatMayNotFollowFailsTheWrite() {
        assertSteps(
                """
                write 2/3: n1 n2 n3: v5 "a"
                    ask n1, n2, n3
                n1 stored
                n2 stored and holds v8
                    restamp above v8
                cannot restamp
                    fail: quorum failed; done by [n1, n2]; n1 failed
                """);
    }

    @Test
    void afterARestampNothingIsRefused() {
        assertSteps(
                """
                write 1/1: n1: v5 "a"
                    ask n1
                n1 stored and holds v8
                    restamp above v8
                restamp as v9
                    ask n1
                n1 fails DISK_FULL
                    fail: quorum failed; done by []; n1 disk_full
                """);
    }

    // ---- Two placements.

    @Test
    void anAnswerOfACommonMemberCountsForBothGroups() {
        assertSteps(
                """
                write 2/3 of n1 n2 n3 and 2/3 of n1 n2 n4: n1 n2 n3 n4: v5 "a"
                    ask n1, n2, n3, n4
                n1 stored
                n2 stored
                    acknowledge: written as v5
                n3 fails TIMEOUT
                    hint for n3
                n4 fails TIMEOUT
                    hint for n4
                """);
    }

    @Test
    void eachGroupNeedsItsQuorum() {
        assertSteps(
                """
                write 2/3 of n1 n2 n3 and 2/3 of n1 n2 n4: n1 n2 n3 n4: v5 "a"
                    ask n1, n2, n3, n4
                n2 fails TIMEOUT
                n1 stored
                n3 stored
                n4 stored
                    acknowledge: written as v5, missed by n2
                """);
    }

    @Test
    void aQuorumOfOneGroupIsNotEnoughIfTheOtherCannotStore() {
        assertSteps(
                """
                write 2/3 of n1 n2 n3 and 2/3 of n1 n4 n5: n1 n2 n3 n4 n5: v5 "a"
                    ask n1, n2, n3, n4, n5
                n1 stored
                n2 stored
                n4 fails TIMEOUT
                n5 fails DISK_FULL
                n3 stored
                    fail: quorum failed; done by [n1, n2, n3]; n4 timeout, n5 disk_full
                """);
    }

    @Test
    void noMoreAreAskedOnceOneGroupCannotStore() {
        assertSteps(
                """
                write 1/1 of n1 and 1/1 of n2: n1 n2: v5 "a"; meanwhile n1 fails DISK_FULL
                    ask n1
                    fail: refused, n1: said so
                """);
    }

    @Test
    void aRestampGoesToBothGroups() {
        assertSteps(
                """
                write 2/3 of n1 n2 n3 and 2/2 of n1 n2: n1 n2 n3: v5 "a"
                    ask n1, n2, n3
                n1 stored
                n3 stored
                n2 stored and holds v8
                    restamp above v8
                restamp as v9
                    ask n1, n2, n3
                n1 stored
                n3 stored
                n2 stored
                    acknowledge: written as v9
                """);
    }

    @Test
    void theReasonNamesBothGroups() {
        Write write = new Write();
        write.take("write 2/3 of n1 n2 n3 and 1/2 of n1 n4: n1 n2 n3 n4: v5 \"a\"");
        write.take("n1 stored");
        write.take("n2 stored");
        assertThat(write.round.explanation(List.of()).reasons().getFirst())
                .matches(
                        "2 of the 3 old owners and 1 of the 2 new owners have version .* on disk"
                                + " \\(n1 and n2\\), and 2 and 1 had to");
    }

    private static void assertSteps(String script) {
        Write write = new Write();
        Transcript.assertSteps(script, write::take);
    }

    /** Drives the rounds of one write. */
    private static final class Write {

        private Owner[] replicas = Transcript.owners(List.of("n1"));
        private WriteRound round =
                new WriteRound(
                        Electorate.majority(1),
                        replicas,
                        new ReplicaRequest.Write(Transcript.NO_ENTRY),
                        0,
                        List.of(),
                        0);

        List<String> take(String event) {
            if (event.contains("write ")) {
                return begin(event);
            }
            if (event.startsWith("restamp as ")) {
                round = round.restamped(Transcript.version(event.substring(11)), 0);
                List<String> steps = steps(round.next(), List.of());
                long expiresAtMillis = round.request().entry().expiresAtMillis();
                if (expiresAtMillis != 0) {
                    steps.add("to expire at " + expiresAtMillis);
                }
                return steps;
            }
            if (event.equals("cannot restamp")) {
                return steps(round.notRestamped("n1", "too far ahead"), List.of());
            }
            return steps(answer(event), List.of());
        }

        private WriteRound.Step answer(String event) {
            String[] parts = event.split(" ", 2);
            ReplicaAnswer answer = Transcript.answer(parts[1]);
            return round.answered(Transcript.index(replicas, parts[0]), answer, 0);
        }

        private List<String> begin(String event) {
            String[] parts = event.split("; meanwhile ", 2);
            prepare(parts[0]);
            return steps(round.next(), Arrays.asList(parts).subList(1, parts.length));
        }

        void prepare(String event) {
            boolean isGiven = event.startsWith("given ");
            String[] words = event.replace("given ", "").replace("write ", "").split(": ", 3);
            replicas = Transcript.owners(Arrays.asList(words[1].split(" ")));
            ReplicaRequest.Origin origin =
                    isGiven ? ReplicaRequest.Origin.GIVEN : ReplicaRequest.Origin.STAMPED;
            round =
                    new WriteRound(
                            Transcript.electorate(words[0], replicas),
                            replicas,
                            new ReplicaRequest.Write(
                                    Transcript.entry(new Scanner(words[2])), origin),
                            isGiven ? 0 : 1,
                            List.of(),
                            0);
        }

        /** With what the first replica answers while the others are being asked. */
        private List<String> steps(WriteRound.Step first, List<String> meanwhile) {
            List<String> asked = new ArrayList<>();
            List<String> lines = new ArrayList<>();
            WriteRound.Step step = first;
            while (step instanceof WriteRound.Step.Ask(int replica, boolean _)) {
                asked.add(replicas[replica].name());
                for (String event : meanwhile) {
                    lines.addAll(steps(answer(event), List.of()));
                }
                step = round.next();
            }
            if (!asked.isEmpty()) {
                lines.addFirst("ask " + String.join(", ", asked));
            }
            switch (step) {
                case WriteRound.Step.Wait wait -> {}
                case WriteRound.Step.Ask ask -> throw new AssertionError(ask);
                case WriteRound.Step.Acknowledge(Outcome.Written written, long missed) ->
                        lines.add("acknowledge: " + Transcript.outcome(written) + missed(missed));
                case WriteRound.Step.Restamp restamp ->
                        lines.add("restamp above " + Transcript.version(restamp.newest()));
                case WriteRound.Step.Fail(Outcome outcome) ->
                        lines.add("fail: " + Transcript.outcome(outcome));
                case WriteRound.Step.Hint(int replica) ->
                        lines.add("hint for " + replicas[replica].name());
            }
            return lines;
        }

        private String missed(long mask) {
            String names =
                    IntStream.range(0, replicas.length)
                            .filter(i -> (mask >>> i & 1) != 0)
                            .mapToObj(i -> replicas[i].name())
                            .collect(Collectors.joining(", "));
            return names.isEmpty() ? "" : ", missed by " + names;
        }
    }
}
