package dev.quorate.node.membership;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import dev.quorate.router.message.AnswerCallback;
import dev.quorate.router.message.MemberState.Condition;
import dev.quorate.router.message.MemberStates;
import dev.quorate.router.message.ReplicaAnswer;
import dev.quorate.router.message.ReplicaAnswer.Failed;
import dev.quorate.router.message.ReplicaAnswer.Failure;
import dev.quorate.router.message.ReplicaRequest;
import dev.quorate.router.replica.Replica;
import dev.quorate.router.runtime.ManualTime;
import dev.quorate.router.runtime.NodeRuntime;
import dev.quorate.router.topology.LiveTopology;
import dev.quorate.router.topology.Member;
import dev.quorate.router.topology.Topology;
import dev.quorate.storage.Entry;
import dev.quorate.storage.Timestamp;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Which answers of a member count for a quorum, by what its data is worth. */
class VotingReplicaTest {

    private static final Topology THREE =
            Topology.parse("n1=http://a:1,n2=http://b:1,n3=http://c:1");
    private static final Member SELF = THREE.members().getFirst();
    private static final long SECOND = 1_000_000_000L;
    private static final byte[] KEY = "key".getBytes(US_ASCII);
    private static final Timestamp TIMESTAMP = Timestamp.of(1, 0, 1);
    private static final ReplicaRequest WRITE =
            new ReplicaRequest.Write(Entry.value(KEY, TIMESTAMP, KEY, 3));

    private final Local local = new Local();

    private final ManualTime time = new ManualTime();

    private Membership membership(Topology topology, Condition condition) {
        return new Membership(
                new LiveTopology(topology),
                SELF,
                new Past(condition, false, 0, List.of(), 0),
                1,
                Duration.ofMinutes(1),
                time,
                () -> 10);
    }

    private VotingReplica voting(Membership membership) {
        return new VotingReplica(
                local, membership, new NodeRuntime(time, time, new Random(1), Runnable::run));
    }

    private ReplicaAnswer ask(Condition condition, ReplicaRequest request) {
        List<ReplicaAnswer> answers = new ArrayList<>();
        local.asked.clear();
        voting(membership(THREE, condition)).ask(request, time.nanos() + SECOND, answers::add);
        assertThat(answers).hasSize(1);
        return answers.getFirst();
    }

    @ParameterizedTest
    @EnumSource(Condition.class)
    void aWriteIsStoredByAnyAndCountsFromOneThatVotes(Condition condition) {
        ReplicaAnswer answer = ask(condition, WRITE);
        assertThat(local.asked).containsExactly(WRITE);
        if (condition.votes()) {
            assertThat(answer).isEqualTo(local.answer);
        } else {
            assertThat(answer.failure().reason()).isEqualTo(Failure.REBUILDING);
        }
    }

    @ParameterizedTest
    @EnumSource(Condition.class)
    void aFailedWriteIsReportedAsFailed(Condition condition) {
        local.answer = new Failed(Failure.OVERLOADED, "busy");
        assertThat(ask(condition, WRITE)).isEqualTo(local.answer);
    }

    @ParameterizedTest
    @EnumSource(Condition.class)
    void onlyVotingMembersAreRead(Condition condition) {
        for (ReplicaRequest request :
                List.of(
                        new ReplicaRequest.Read(KEY),
                        new ReplicaRequest.ReadDigest(KEY),
                        new ReplicaRequest.ScanPage(KEY, null, 1))) {
            ReplicaAnswer answer = ask(condition, request);
            assertThat(local.asked).hasSize(condition.votes() ? 1 : 0);
            assertThat(answer.equals(local.answer)).isEqualTo(condition.votes());
        }
    }

    /** What it has is of use to those that repair, whatever it is worth. */
    @ParameterizedTest
    @EnumSource(Condition.class)
    void requestsThatNeedNoVoteAreAnsweredByAnyMember(Condition condition) {
        for (ReplicaRequest request :
                List.of(
                        new ReplicaRequest.ScanReadable(KEY, null, 1),
                        new ReplicaRequest.Compare(2, 7, 0, 1, KEY, null, 1),
                        new ReplicaRequest.StreamPage(2, false, List.of(1), KEY, 1),
                        new ReplicaRequest.Announce(2, MemberStates.of(1, condition, 1, 1, 0, 0)),
                        new ReplicaRequest.Inquire(KEY))) {
            assertThat(ask(condition, request)).isEqualTo(local.answer);
            assertThat(local.asked).containsExactly(request);
        }
    }

    /** A majority of the new owners of a key may join. */
    @Test
    void requestsWaitUntilAMemberThatJoinsVotes() {
        Topology joint =
                THREE.in(new UUID(1, 2))
                        .next(
                                THREE.members().stream()
                                        .map(
                                                each ->
                                                        each.equals(SELF)
                                                                ? each.as(Member.Part.JOINS)
                                                                : each)
                                        .toList());
        for (ReplicaRequest request : List.of(WRITE, new ReplicaRequest.Read(KEY))) {
            Membership membership = membership(joint, Condition.EMPTY);
            List<ReplicaAnswer> answers = new ArrayList<>();
            voting(membership).ask(request, time.nanos() + SECOND, answers::add);
            time.advanceMillis(500);
            membership.become(Condition.RETURNING);
            time.advanceMillis(100);
            assertThat(answers).isEmpty();
            membership.become(Condition.WHOLE);
            time.advanceMillis(100);
            assertThat(answers).containsExactly(local.answer);
            membership.become(Condition.RETURNING);
            voting(membership).ask(request, time.nanos() + SECOND, answers::add);
            time.advanceMillis(1_000);
            assertThat(answers).hasSize(2);
            assertThat(answers.getLast().failure().reason()).isEqualTo(Failure.REBUILDING);
        }
    }

    private static final class Local implements Replica {

        private final List<ReplicaRequest> asked = new ArrayList<>();
        private ReplicaAnswer answer = new ReplicaAnswer.Stored(TIMESTAMP);

        @Override
        public Member member() {
            return SELF;
        }

        @Override
        public void ask(ReplicaRequest request, long deadlineNanos, AnswerCallback callback) {
            asked.add(request);
            callback.answered(answer);
        }
    }
}
