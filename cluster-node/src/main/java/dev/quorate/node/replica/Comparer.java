package dev.quorate.node.replica;

import dev.quorate.node.message.ReplicaAnswer;
import dev.quorate.node.message.ReplicaRequest;

/** Compares what this node and another one hold of a range. */
@FunctionalInterface
public interface Comparer {

    /**
     * Called where reads may wait for the disk. Takes no longer than about what a page of a scan
     * does, however long the range is.
     *
     * @throws dev.quorate.storage.StorageException if the range cannot be read
     */
    ReplicaAnswer compare(ReplicaRequest.Compare request);
}
