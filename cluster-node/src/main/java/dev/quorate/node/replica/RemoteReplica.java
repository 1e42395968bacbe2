package dev.quorate.node.replica;

import dev.quorate.node.message.AnswerCallback;
import dev.quorate.node.message.ReplicaRequest;
import dev.quorate.node.transport.Peer;
import dev.quorate.router.topology.Member;

/** Another node's share of the data. */
public final class RemoteReplica implements Replica {

    private final Peer peer;

    public RemoteReplica(Peer peer) {
        this.peer = peer;
    }

    @Override
    public Member member() {
        return peer.member();
    }

    @Override
    public void ask(ReplicaRequest request, long deadlineNanos, AnswerCallback callback) {
        peer.ask(request, deadlineNanos, callback);
    }
}
