package dev.quorate.storage.wal;

import dev.quorate.storage.Entry;
import dev.quorate.storage.WriteCompletion;

/**
 * A write that is queued for the log or being committed.
 *
 * @param recordBytes its size in the log, and its weight in the queue
 */
public record PendingWrite(Entry entry, WriteCompletion completion, int recordBytes) {

    /** Whether a write submitted with this one has failed: then this one must not be visible. */
    public boolean followsFailed() {
        return completion instanceof JointCompletion joint && joint.hasFailed();
    }
}
