package dev.quorate.router.replica;

import dev.quorate.router.message.AnswerCallback;
import dev.quorate.router.message.ReplicaAnswer;
import dev.quorate.router.message.ReplicaAnswer.Failed;
import dev.quorate.router.message.ReplicaAnswer.Failure;
import dev.quorate.router.runtime.Deadlines;
import java.util.concurrent.atomic.AtomicBoolean;

/** Passes on the first answer, or the failure at the deadline, and drops later ones. */
class PendingAnswer implements Deadlines.Expiring {

    private final long deadlineNanos;
    private final AnswerCallback callback;
    private final AtomicBoolean complete = new AtomicBoolean();

    PendingAnswer(long deadlineNanos, AnswerCallback callback) {
        this.deadlineNanos = deadlineNanos;
        this.callback = callback;
    }

    final void complete(ReplicaAnswer answer) {
        if (complete.compareAndSet(false, true)) {
            callback.answered(answer);
        }
    }

    @Override
    public final boolean isComplete() {
        return complete.get();
    }

    @Override
    public final long deadlineNanos() {
        return deadlineNanos;
    }

    @Override
    public final void expire() {
        complete(new Failed(Failure.TIMEOUT, "the store did not answer in time"));
    }
}
