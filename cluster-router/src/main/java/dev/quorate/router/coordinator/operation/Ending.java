package dev.quorate.router.coordinator.operation;

import org.jspecify.annotations.Nullable;

/** What happens when an operation ends, before its callback is called. */
@FunctionalInterface
public interface Ending {

    /** Only calls the callback. */
    Ending NONE =
            (outcome, callback, explanation) -> {
                if (explanation != null && callback.isExplained()) {
                    callback.completed(outcome, explanation);
                } else {
                    callback.completed(outcome);
                }
            };

    /**
     * Ends the operation, and calls {@code callback}.
     *
     * @param explanation not null if the callback {@linkplain OutcomeCallback#isExplained wants it}
     *     and replicas were asked
     */
    void ended(Outcome outcome, OutcomeCallback callback, @Nullable Explanation explanation);
}
