package dev.quorate.node.coordinator;

/** Takes the outcome of an operation: exactly once, on any thread; must not block or throw. */
@FunctionalInterface
public interface OutcomeCallback {

    void completed(Outcome outcome);

    /** Whether the explanation of the outcome is wanted too. */
    default boolean isExplained() {
        return false;
    }

    /**
     * Takes outcome and explanation, in place of {@link #completed(Outcome)}, if {@link
     * #isExplained} and replicas were asked.
     */
    default void completed(Outcome outcome, Explanation explanation) {
        completed(outcome);
    }
}
