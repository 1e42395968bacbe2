package dev.quorate.router.replica;

import dev.quorate.router.message.AnswerCallback;
import dev.quorate.router.message.ReplicaAnswer;
import dev.quorate.router.message.ReplicaRequest;

/** Answers other members' background requests, which no client waits for. */
public interface PeerRequestHandler {

    /**
     * Compares this node's entries in a range with another member's. Called on a thread that may
     * wait for the disk. Takes at most about as long as a page of a scan, however long the range
     * is.
     *
     * @throws dev.quorate.storage.StorageException if the range cannot be read
     */
    ReplicaAnswer compare(ReplicaRequest.Compare request);

    /**
     * Returns a page of the entries that another member owns too. Called on a thread that may wait
     * for the disk; takes no longer than {@link #compare}.
     *
     * @throws dev.quorate.storage.StorageException if the entries cannot be read
     */
    ReplicaAnswer streamPage(ReplicaRequest.StreamPage request);

    /**
     * Like {@link #streamPage}, for the records of conditional writes.
     *
     * @throws dev.quorate.storage.StorageException if the records cannot be read
     */
    ReplicaAnswer streamRecords(ReplicaRequest.StreamRecords request);

    /** Receives another member's state and returns this one's. Does not block. */
    ReplicaAnswer announce(ReplicaRequest.Announce request);

    /** Answers as an acceptor of a decree, once its state is durable. Does not block. */
    void propose(ReplicaRequest.Propose request, AnswerCallback callback);

    /** Registers a wait, or ends it; false if there are too many. Does not block. */
    default boolean watch(ReplicaRequest.Watch request) {
        return false;
    }

    /** The position of this member's changes below a prefix, counted from now on at the latest. */
    default long position(byte[] prefix) {
        return 0;
    }

    /** Receives news about waits of this member. Does not block. */
    default void changed(ReplicaRequest.Changed request) {}

    /**
     * Answers with this member's state once it uses the topology or a later one. Does not block.
     */
    void tell(ReplicaRequest.Tell request, AnswerCallback callback);
}
