package dev.quorate.node.replica;

import dev.quorate.node.message.AnswerCallback;
import dev.quorate.node.message.ReplicaAnswer;
import dev.quorate.node.message.ReplicaAnswer.Failed;
import dev.quorate.node.message.ReplicaAnswer.Failure;
import dev.quorate.node.runtime.Deadlines;
import java.util.concurrent.atomic.AtomicBoolean;

/** Passes on the first answer, be it the deadline's, and drops the others. */
class PendingAnswer implements Deadlines.Expiring {

    private final long deadlineNanos;
    private final AnswerCallback callback;
    private final AtomicBoolean settled = new AtomicBoolean();

    PendingAnswer(long deadlineNanos, AnswerCallback callback) {
        this.deadlineNanos = deadlineNanos;
        this.callback = callback;
    }

    final void settle(ReplicaAnswer answer) {
        if (settled.compareAndSet(false, true)) {
            callback.answered(answer);
        }
    }

    @Override
    public final boolean isSettled() {
        return settled.get();
    }

    @Override
    public final long deadlineNanos() {
        return deadlineNanos;
    }

    @Override
    public final void expire() {
        settle(new Failed(Failure.TIMEOUT, "the store did not answer in time"));
    }
}
