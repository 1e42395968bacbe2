package dev.quorate.node.membership;

import dev.quorate.router.message.AnswerCallback;
import dev.quorate.router.message.Lane;
import dev.quorate.router.message.ReplicaAnswer;
import dev.quorate.router.message.ReplicaAnswer.Failed;
import dev.quorate.router.message.ReplicaAnswer.Failure;
import dev.quorate.router.message.ReplicaRequest;
import dev.quorate.router.replica.Replica;
import dev.quorate.router.runtime.NodeRuntime;
import dev.quorate.router.topology.Member;
import java.time.Duration;

/**
 * This node's replica, as coordinators see it: while it may lack acknowledged writes, it stores
 * writes but does not vote. Its "absent" could hide an acknowledged write, and its acknowledgement
 * would claim that it has nothing newer.
 *
 * <p>While a member joins, requests wait until it votes, or for their deadline: a majority of the
 * new owners of a key may join.
 */
public record VotingReplica(Replica replica, Membership membership, NodeRuntime runtime)
        implements Replica {

    private static final Duration ASKED_AGAIN = Duration.ofMillis(20);

    @Override
    public Member member() {
        return replica.member();
    }

    @Override
    public void ask(ReplicaRequest request, long deadlineNanos, AnswerCallback callback) {
        if (membership.votes()) {
            replica.ask(request, deadlineNanos, callback);
            return;
        }
        switch (request) {
            case ReplicaRequest.Traced traced -> ask(traced.request(), deadlineNanos, callback);
            case ReplicaRequest.Read _,
                    ReplicaRequest.ReadDigest _,
                    ReplicaRequest.Watch _,
                    ReplicaRequest.ScanPage _,
                    ReplicaRequest.ToAcceptor _,
                    ReplicaRequest.Write _ ->
                    askForVote(request, deadlineNanos, callback);
            case ReplicaRequest.ScanReadable _,
                    ReplicaRequest.Compare _,
                    ReplicaRequest.StreamPage _,
                    ReplicaRequest.StreamRecords _,
                    ReplicaRequest.Inquire _,
                    ReplicaRequest.Announce _,
                    ReplicaRequest.Propose _,
                    ReplicaRequest.Tell _,
                    ReplicaRequest.Changed _ ->
                    replica.ask(request, deadlineNanos, callback);
        }
    }

    private void askForVote(ReplicaRequest request, long deadlineNanos, AnswerCallback callback) {
        if (membership.isAboutToVote()
                && deadlineNanos - runtime.ticker().nanos() > ASKED_AGAIN.toNanos()) {
            runtime.scheduler().after(ASKED_AGAIN, () -> ask(request, deadlineNanos, callback));
        } else if (request instanceof ReplicaRequest.Write) {
            replica.ask(
                    request,
                    deadlineNanos,
                    answer ->
                            callback.answered(
                                    answer instanceof ReplicaAnswer.Stored ? noVote() : answer));
        } else {
            callback.answered(noVote());
        }
    }

    /**
     * Answers a peer. In the repair lane members exchange entries whether they vote or not; in the
     * lanes of clients the answer may be a vote. The lane for control, whose frames may be of
     * another epoch, has requests of its own.
     */
    public void answer(
            Lane lane, ReplicaRequest request, long deadlineNanos, AnswerCallback callback) {
        switch (lane) {
            case READ, WRITE, BULK -> ask(request, deadlineNanos, callback);
            case REPAIR -> replica.ask(request, deadlineNanos, callback);
            case CONTROL -> {
                switch (request) {
                    case ReplicaRequest.Announce _,
                            ReplicaRequest.Propose _,
                            ReplicaRequest.Tell _,
                            ReplicaRequest.Changed _ ->
                            replica.ask(request, deadlineNanos, callback);
                    case ReplicaRequest other ->
                            callback.answered(
                                    new Failed(Failure.REFUSED, "it is not for this lane"));
                }
            }
        }
    }

    private Failed noVote() {
        return new Failed(Failure.REBUILDING, membership.description());
    }
}
