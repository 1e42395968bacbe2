package dev.quorate.router.coordinator.operation;

import dev.quorate.router.message.TraceParent;
import dev.quorate.router.runtime.HeldRoom;
import org.jspecify.annotations.Nullable;

/** Receives the outcome of an operation: exactly once, on any thread; must not block or throw. */
@FunctionalInterface
public interface OutcomeCallback {

    void completed(Outcome outcome);

    /**
     * Called before replicas are asked to store the value that was given.
     *
     * @return runs once, when no replica needs the value for this operation any more, perhaps long
     *     after the outcome; null if the memory of the value is not counted
     */
    default @Nullable Runnable retainValue() {
        return null;
    }

    /**
     * Takes over the memory reserved for a large value, right before the outcome that contains the
     * value. The memory must be released when the value is no longer needed.
     */
    default void acceptRoom(HeldRoom room) {
        room.release();
    }

    /** The trace of the client's request, sent to the replicas; null if it has none. */
    default @Nullable TraceParent trace() {
        return null;
    }

    /**
     * Whether the explanation of the outcome is wanted too. Called when the outcome is known; the
     * answer may depend on how long that took.
     */
    default boolean isExplained() {
        return false;
    }

    /**
     * Receives outcome and explanation, in place of {@link #completed(Outcome)}, if {@link
     * #isExplained} and replicas were asked.
     */
    default void completed(Outcome outcome, Explanation explanation) {
        completed(outcome);
    }
}
