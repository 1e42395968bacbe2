package dev.quorate.node.replica;

import dev.quorate.node.message.ReplicaAnswer;
import dev.quorate.node.message.ReplicaAnswer.Failed;
import dev.quorate.node.message.ReplicaAnswer.Failure;
import dev.quorate.node.message.ReplicaRequest;

/** Answers what members ask each other in the background, for no client. */
public interface PeerRequestHandler {

    /** Refuses all: for a replica that has no peers. */
    PeerRequestHandler NONE =
            new PeerRequestHandler() {
                @Override
                public ReplicaAnswer compare(ReplicaRequest.Compare request) {
                    return new Failed(Failure.REFUSED, "this replica compares nothing");
                }

                @Override
                public ReplicaAnswer streamPage(ReplicaRequest.StreamPage request) {
                    return new Failed(Failure.REFUSED, "this replica streams nothing");
                }

                @Override
                public ReplicaAnswer announce(ReplicaRequest.Announce request) {
                    return new Failed(Failure.REFUSED, "this replica has no members");
                }
            };

    /**
     * Compares what this node and another one hold of a range. Called where reads may wait for the
     * disk. Takes no longer than about what a page of a scan does, however long the range is.
     *
     * @throws dev.quorate.storage.StorageException if the range cannot be read
     */
    ReplicaAnswer compare(ReplicaRequest.Compare request);

    /**
     * A page of the entries that another member owns as well. Called where reads may wait for the
     * disk, and takes no longer than {@link #compare}.
     *
     * @throws dev.quorate.storage.StorageException if the entries cannot be read
     */
    ReplicaAnswer streamPage(ReplicaRequest.StreamPage request);

    /** Takes another member's state and returns this one's. Does not block. */
    ReplicaAnswer announce(ReplicaRequest.Announce request);
}
