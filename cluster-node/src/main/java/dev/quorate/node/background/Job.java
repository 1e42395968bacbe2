package dev.quorate.node.background;

import dev.quorate.node.message.ReplicaAnswer;
import dev.quorate.node.message.ReplicaAnswer.Failed;
import org.jspecify.annotations.Nullable;

/**
 * One conversation with replicas: holds what is known, and decides what comes next. Events go in,
 * and steps come out. A job has no lock, no clock and no thread, and asks nobody itself; it may
 * read this node's store, and wait for its disk.
 *
 * <p>{@link JobDriver} calls it from one task at a time: {@link #next} after each event, and again
 * after each {@link Step.Ask} and {@link Step.Write}, until it has another step.
 *
 * @param <X> the exchanges of the job: what an answer belongs to
 */
public interface Job<X> {

    /** What to do next. */
    Step<X> next();

    /** A replica has answered a {@link Step.Ask}, or has not. */
    void answered(X exchange, ReplicaAnswer answer);

    /**
     * A {@link Step.Write} is over.
     *
     * @param failure the first failure of one of its entries; null if all are durable
     */
    default void wrote(X exchange, @Nullable Failed failure) {
        throw new IllegalStateException("the job writes nothing");
    }

    /** Bytes read from this node's store so far, which count against the pace as messages do. */
    default long bytesRead() {
        return 0;
    }
}
