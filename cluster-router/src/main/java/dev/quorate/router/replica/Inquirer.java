package dev.quorate.router.replica;

import dev.quorate.router.message.ReplicaAnswer;

/** Reports everything that this node stores for a key. */
@FunctionalInterface
public interface Inquirer {

    /**
     * Called on a thread that may wait for the disk.
     *
     * @throws dev.quorate.storage.StorageException if the store is closed
     */
    ReplicaAnswer inquire(byte[] key);
}
