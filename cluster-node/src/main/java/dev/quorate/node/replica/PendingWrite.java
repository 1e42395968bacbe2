package dev.quorate.node.replica;

import dev.quorate.node.message.AnswerCallback;
import dev.quorate.node.message.ReplicaAnswer.Failed;
import dev.quorate.node.message.ReplicaAnswer.Failure;
import dev.quorate.node.message.ReplicaAnswer.Stored;
import dev.quorate.storage.StorageException;
import dev.quorate.storage.Timestamp;
import dev.quorate.storage.WriteCompletion;

/** A write that waits for the store's log. */
final class PendingWrite extends PendingAnswer implements WriteCompletion {

    private static final long NOBODY = -1;

    /**
     * Who is handing the write to the store, until it has been taken: a failure told to that thread
     * means that nothing was stored. Any other thread reads it only to find that it is not itself,
     * so nothing guards it.
     */
    private long callerId = NOBODY;

    private final Runnable whenDone;

    /**
     * @param whenDone run when the store is done with the write, be it after the deadline
     */
    PendingWrite(long deadlineNanos, AnswerCallback callback, Runnable whenDone) {
        super(deadlineNanos, callback);
        this.whenDone = whenDone;
    }

    /** This thread is about to hand it to the store. */
    void submitting() {
        callerId = Thread.currentThread().threadId();
    }

    /** It never goes to the store. */
    void refuse(Failed why) {
        whenDone.run();
        complete(why);
    }

    /** The store has taken it: from now on a failure leaves open whether it is stored. */
    void taken() {
        callerId = NOBODY;
    }

    /** Its deadline has passed: the disk has better things to do. */
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
