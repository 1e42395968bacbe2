package dev.quorate.node.replica;

import dev.quorate.node.message.ReplicaAnswer;

/** Reports everything that this node has of a key. */
@FunctionalInterface
public interface Inquirer {

    /**
     * Called on a thread that may wait for the disk.
     *
     * @throws dev.quorate.storage.StorageException if the store is closed
     */
    ReplicaAnswer inquire(byte[] key);
}
