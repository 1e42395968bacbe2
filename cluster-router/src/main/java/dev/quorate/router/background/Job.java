package dev.quorate.router.background;

import dev.quorate.router.message.ReplicaAnswer;
import dev.quorate.router.message.ReplicaAnswer.Failed;
import org.jspecify.annotations.Nullable;

/**
 * A background conversation with replicas: decides the next step. Events go in, and steps come out.
 * A job has no lock, no clock and no thread, and sends nothing itself; it may read this node's
 * store, and wait for its disk.
 *
 * <p>{@link JobDriver} calls it from one task at a time: {@link #next} after each event, and again
 * after each {@link Step.Ask} and {@link Step.Write}, until it has another step.
 *
 * @param <X> the exchanges of the job, to which answers belong
 */
public interface Job<X> {

    Step<X> next();

    /** Receives the answer to a {@link Step.Ask}, or its failure. */
    void answered(X exchange, ReplicaAnswer answer);

    /**
     * Receives the result of a {@link Step.Write}.
     *
     * @param failure the first failure of one of its entries; null if all are durable
     */
    default void wrote(X exchange, @Nullable Failed failure) {
        throw new IllegalStateException("the job writes nothing");
    }

    /** Bytes read from this node's store so far, which count against the pace like messages. */
    default long bytesRead() {
        return 0;
    }
}
