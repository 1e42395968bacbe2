package dev.quorate.router.replica;

import dev.quorate.router.message.ReplicaAnswer.Failed;
import dev.quorate.router.message.ReplicaAnswer.Failure;
import dev.quorate.storage.CorruptionException;
import dev.quorate.storage.StorageException;

/** Translates failures of the store into a replica's answers. */
final class StoreFailures {

    private StoreFailures() {}

    static Failed of(StorageException e) {
        Failure reason =
                switch (e) {
                    case CorruptionException corruption -> Failure.CORRUPT;
                    case StorageException.Closed closed -> Failure.STOPPING;
                    case StorageException.Full full -> Failure.DISK_FULL;
                    case StorageException.InUse inUse -> Failure.FAILED;
                    case StorageException.Io io -> Failure.FAILED;
                    case StorageException.Overloaded overloaded -> Failure.OVERLOADED;
                };
        return new Failed(reason, String.valueOf(e.getMessage()));
    }
}
