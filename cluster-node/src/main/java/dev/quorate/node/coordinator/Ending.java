package dev.quorate.node.coordinator;

import org.jspecify.annotations.Nullable;

/** What happens when an operation is over, before its caller is told. */
@FunctionalInterface
interface Ending {

    /** An ending with which only the caller has to do. */
    Ending NONE =
            (outcome, callback, explanation) -> {
                if (explanation != null && callback.isExplained()) {
                    callback.completed(outcome, explanation);
                } else {
                    callback.completed(outcome);
                }
            };

    /**
     * The operation is over, and {@code callback} is to be told.
     *
     * @param explanation not null if the callback {@linkplain OutcomeCallback#isExplained wants it}
     *     and replicas were asked
     */
    void ended(Outcome outcome, OutcomeCallback callback, @Nullable Explanation explanation);
}
