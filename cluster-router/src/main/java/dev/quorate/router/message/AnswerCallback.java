package dev.quorate.router.message;

import dev.quorate.router.topology.Topology;
import org.jspecify.annotations.Nullable;

/** Receives a replica's answer, exactly once and on any thread; must not block or throw. */
@FunctionalInterface
public interface AnswerCallback {
    void answered(ReplicaAnswer answer);

    /** The trace of the client's operation, sent with the request; null for none. */
    default @Nullable TraceParent trace() {
        return null;
    }

    /**
     * The topology in which the operation was planned: the request is sent in it or not at all.
     * Null for a request that does not depend on the owners of a key.
     */
    default @Nullable Topology topology() {
        return null;
    }

    /**
     * Whether the operation needs this answer. If not, the request waits up to a millisecond for
     * others that it can be sent with.
     */
    default boolean isNeeded() {
        return true;
    }

    /**
     * Reports that the request, queued until now, is sent. Called before the answer, and not for
     * this node's own replica.
     *
     * @param nowNanos in {@code Ticker.nanos} time
     */
    default void onSent(long nowNanos) {}
}
