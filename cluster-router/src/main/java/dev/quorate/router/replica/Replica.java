package dev.quorate.router.replica;

import dev.quorate.router.message.AnswerCallback;
import dev.quorate.router.message.Lane;
import dev.quorate.router.message.ReplicaAnswer;
import dev.quorate.router.message.ReplicaRequest;

/** One owner of keys, this node or another, with an asynchronous interface. */
public interface Replica extends Owner {

    /**
     * Sends a request. The callback is called exactly once, on any thread, perhaps before this
     * method returns, and at the latest shortly after the deadline, with {@link
     * ReplicaAnswer.Failed} if there is no answer.
     *
     * @param deadlineNanos when the answer becomes useless, in {@code Ticker.nanos} time
     */
    void ask(ReplicaRequest request, long deadlineNanos, AnswerCallback callback);

    /** Whether this replica is considered down: {@link #ask} fails at once. */
    default boolean isGivenUp() {
        return false;
    }

    /** A number that changes when the replica's process starts anew, as far as this node knows. */
    default long knownLife() {
        return 0;
    }

    /**
     * This replica, asked even while it is considered down because of late answers: for operations
     * that cannot succeed without it.
     */
    default Replica evenIfLate() {
        return this;
    }

    /** Whether an exchange leaves soon anyway, and has room: another request costs little. */
    default boolean isJoinable(Lane lane) {
        return false;
    }

    /**
     * Whether a read has waited longer than {@code longerThanNanos}: others should be asked first.
     *
     * @param nowNanos in {@code Ticker.nanos} time
     */
    default boolean isSlow(long nowNanos, long longerThanNanos) {
        return false;
    }
}
