package dev.quorate.node.replica;

import dev.quorate.node.message.AnswerCallback;
import dev.quorate.node.message.ReplicaAnswer;
import dev.quorate.node.message.ReplicaRequest;

/** One owner of keys, this node or another, that can be asked without waiting. */
public interface Replica extends Owner {

    /**
     * Asks. The callback is called exactly once, on any thread, perhaps before this returns, and at
     * the latest shortly after the deadline, with {@link ReplicaAnswer.Failed} if there is no
     * answer.
     *
     * @param deadlineNanos when the answer is worth nothing any more, in {@code Ticker.nanos} time
     */
    void ask(ReplicaRequest request, long deadlineNanos, AnswerCallback callback);

    /** Whether it is not asked at present: {@link #ask} answers at once that it failed. */
    default boolean isGivenUp() {
        return false;
    }

    /**
     * This replica, asked also while it is given up only because its answers are late: for
     * operations that cannot succeed without it.
     */
    default Replica evenIfLate() {
        return this;
    }

    /**
     * Whether a read that it was asked for has been waiting for longer than that: then others are
     * better asked first.
     *
     * @param nowNanos in {@code Ticker.nanos} time
     */
    default boolean isSlow(long nowNanos, long longerThanNanos) {
        return false;
    }
}
