package dev.quorate.router.coordinator.waiting;

import dev.quorate.router.coordinator.operation.Outcome;
import org.jspecify.annotations.Nullable;

/** A wait of one client. Thread-safe. */
interface Waiting {

    void start();

    void changed();

    /** A member went down or returned. */
    default void lost(String member) {
        changed();
    }

    /**
     * Ends the wait.
     *
     * @param last what the client is told; null if the client is gone
     */
    void end(Outcome.@Nullable Refused last);
}
