package dev.quorate.node.coordinator;

/** Takes the outcome of an operation: exactly once, on any thread; must not block or throw. */
@FunctionalInterface
public interface OutcomeCallback {

    void completed(Outcome outcome);

    /** Whether it is to be told how the outcome came about as well, which is gathered for it. */
    default boolean isExplained() {
        return false;
    }

    /**
     * The outcome, in place of {@link #completed(Outcome)}, where it {@link #isExplained} and
     * replicas were asked.
     */
    default void completed(Outcome outcome, Explanation explanation) {
        completed(outcome);
    }
}
