package dev.quorate.node.antientropy;

import dev.quorate.node.membership.Epochs;
import dev.quorate.node.membership.MemberProgress;
import dev.quorate.router.message.AnswerCallback;
import dev.quorate.router.message.ReplicaAnswer;
import dev.quorate.router.message.ReplicaAnswer.Failed;
import dev.quorate.router.message.ReplicaAnswer.Failure;
import dev.quorate.router.message.ReplicaRequest;
import dev.quorate.router.replica.ChangeNotices;
import dev.quorate.router.replica.PeerRequestHandler;

/** Answers other members' background requests. */
public record PeerRequests(
        StoreSource source, MemberProgress progress, Epochs epochs, ChangeNotices notices)
        implements PeerRequestHandler {

    @Override
    public ReplicaAnswer compare(ReplicaRequest.Compare request) {
        return source.compare(request);
    }

    @Override
    public ReplicaAnswer streamPage(ReplicaRequest.StreamPage request) {
        return source.streamPage(request);
    }

    @Override
    public ReplicaAnswer streamRecords(ReplicaRequest.StreamRecords request) {
        return source.streamRecords(request);
    }

    @Override
    public ReplicaAnswer announce(ReplicaRequest.Announce request) {
        progress.onState(request.member(), request.state());
        return new ReplicaAnswer.Announced(progress.stateFor(request.member()));
    }

    @Override
    public boolean watch(ReplicaRequest.Watch request) {
        return notices.watch(request);
    }

    @Override
    public long position(byte[] prefix) {
        return notices.position(prefix);
    }

    @Override
    public void changed(ReplicaRequest.Changed request) {
        notices.changed(request);
    }

    @Override
    public void propose(ReplicaRequest.Propose request, AnswerCallback callback) {
        epochs.answer(request, callback);
    }

    @Override
    public void tell(ReplicaRequest.Tell request, AnswerCallback callback) {
        epochs.told(
                request,
                isUsed ->
                        callback.answered(
                                isUsed
                                        ? new ReplicaAnswer.Announced(progress.stateFor(0))
                                        : new Failed(Failure.REFUSED, "it cannot use it")));
    }
}
