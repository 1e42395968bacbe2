package dev.quorate.node.replica;

import dev.quorate.node.message.ReplicaAnswer;
import dev.quorate.node.message.ReplicaAnswer.Failed;
import dev.quorate.node.message.ReplicaAnswer.Failure;
import dev.quorate.node.message.ReplicaRequest;

/** What members ask each other for their own sake, and not for a client's. */
public interface PeerRequestHandler {

    /** Of a replica that has nothing to do with others. */
    PeerRequestHandler NONE =
            new PeerRequestHandler() {
                @Override
                public ReplicaAnswer compare(ReplicaRequest.Compare request) {
                    return new Failed(Failure.REFUSED, "nothing is compared here");
                }

                @Override
                public ReplicaAnswer give(ReplicaRequest.Give request) {
                    return new Failed(Failure.REFUSED, "nothing is given here");
                }

                @Override
                public ReplicaAnswer announce(ReplicaRequest.Announce request) {
                    return new Failed(Failure.REFUSED, "nobody is known here");
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
     * What another member is to hold as well, page by page. Called where reads may wait for the
     * disk, and takes no longer than {@link #compare}.
     *
     * @throws dev.quorate.storage.StorageException if the entries cannot be read
     */
    ReplicaAnswer give(ReplicaRequest.Give request);

    /** Hears how another member is, and says how this one is. At once. */
    ReplicaAnswer announce(ReplicaRequest.Announce request);
}
