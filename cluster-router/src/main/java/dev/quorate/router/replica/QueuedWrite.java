package dev.quorate.router.replica;

import dev.quorate.router.message.AnswerCallback;
import dev.quorate.router.message.ReplicaAnswer.Failed;
import dev.quorate.router.message.ReplicaAnswer.Failure;
import dev.quorate.router.message.ReplicaAnswer.Stored;
import dev.quorate.storage.Entry;
import dev.quorate.storage.KeyValueStore;
import dev.quorate.storage.StorageException;
import dev.quorate.storage.Timestamp;
import dev.quorate.storage.WriteCompletion;

/** A write that waits for the store's log. */
final class QueuedWrite extends PendingAnswer implements WriteCompletion {

    private static final long NOBODY = -1;

    /**
     * The thread that submits the write to the store, until the store has accepted it: a failure
     * reported on that thread means that nothing was stored. Other threads only compare it with
     * their own id, so it needs no lock.
     */
    private long callerId = NOBODY;

    private final Runnable whenDone;

    /**
     * @param whenDone runs when the store has completed the write, even after the deadline
     */
    QueuedWrite(long deadlineNanos, AnswerCallback callback, Runnable whenDone) {
        super(deadlineNanos, callback);
        this.whenDone = whenDone;
    }

    /** Submits the write. A failure after that leaves open whether it is stored. */
    void submitTo(KeyValueStore store, Entry entry) {
        callerId = Thread.currentThread().threadId();
        store.write(entry, this);
        callerId = NOBODY;
    }

    /** Refuses the write without submitting it. */
    void refuse(Failed why) {
        whenDone.run();
        complete(why);
    }

    /** Whether its deadline has passed, so that the store need not write it. */
    @Override
    public boolean isExpired() {
        return isComplete();
    }

    @Override
    public void stored(Timestamp newest) {
        whenDone.run();
        complete(new Stored(newest));
    }

    @Override
    public void failed(StorageException cause) {
        whenDone.run();
        Failed failure = StoreFailures.of(cause);
        boolean nothingStored = callerId == Thread.currentThread().threadId();
        complete(nothingStored ? failure : new Failed(Failure.FAILED, failure.detail()));
    }
}
