package dev.quorate.router.message;

import org.jspecify.annotations.Nullable;

/** Takes what one replica answered: exactly once, on any thread; must not block or throw. */
@FunctionalInterface
public interface AnswerCallback {
    void answered(ReplicaAnswer answer);

    /** The trace of the client's operation, which is sent along; null without one. */
    default @Nullable TraceParent trace() {
        return null;
    }

    /**
     * The request leaves this node; until now it has waited for others. Called before the answer,
     * and not for this node's own replica.
     *
     * @param nowNanos in {@code Ticker.nanos} time
     */
    default void leaves(long nowNanos) {}
}
