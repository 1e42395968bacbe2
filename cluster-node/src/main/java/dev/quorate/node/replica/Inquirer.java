package dev.quorate.node.replica;

import dev.quorate.node.message.ReplicaAnswer;

/** Says all that this node holds of a key. */
@FunctionalInterface
public interface Inquirer {

    /**
     * Called where reads may wait for the disk.
     *
     * @throws dev.quorate.storage.StorageException if the store is closed
     */
    ReplicaAnswer inquire(byte[] key);
}
