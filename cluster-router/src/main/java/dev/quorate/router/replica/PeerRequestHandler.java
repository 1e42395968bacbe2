package dev.quorate.router.replica;

import dev.quorate.router.message.ReplicaAnswer;
import dev.quorate.router.message.ReplicaRequest;

/** Answers other members' background requests, which no client waits for. */
public interface PeerRequestHandler {

    /**
     * Compares the entries of this node and another one in a range. Called on a thread that may
     * wait for the disk. Takes no longer than about what a page of a scan does, however long the
     * range is.
     *
     * @throws dev.quorate.storage.StorageException if the range cannot be read
     */
    ReplicaAnswer compare(ReplicaRequest.Compare request);

    /**
     * A page of the entries that another member owns as well. Called on a thread that may wait for
     * the disk; takes no longer than {@link #compare}.
     *
     * @throws dev.quorate.storage.StorageException if the entries cannot be read
     */
    ReplicaAnswer streamPage(ReplicaRequest.StreamPage request);

    /**
     * A page of the records of keys that another member owns as well; as {@link #streamPage}.
     *
     * @throws dev.quorate.storage.StorageException if the records cannot be read
     */
    ReplicaAnswer streamRecords(ReplicaRequest.StreamRecords request);

    /** Takes another member's state and returns this one's. Does not block. */
    ReplicaAnswer announce(ReplicaRequest.Announce request);
}
