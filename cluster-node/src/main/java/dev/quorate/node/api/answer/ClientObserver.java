package dev.quorate.node.api.answer;

import dev.quorate.router.quorum.QuorumSpec;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Receives each client operation, for metrics. Must be quick, and must not block or throw. */
public interface ClientObserver {

    /** What clients do. */
    enum Operation {
        GET,
        PUT,
        DELETE,
        SCAN,
        /** Many operations, each of which is counted as well. */
        BATCH,
        STATUS,
        PAGE,
        /** Refused before its kind was known. */
        OTHER
    }

    /**
     * An operation was answered.
     *
     * @param status as sent; 504 for a stream that was cut off
     * @param replicas that the operation asked for; null if it was refused before they were known
     * @param nanos from the complete request to the answer, for a stream to its end
     */
    void answered(Operation operation, int status, @Nullable QuorumSpec replicas, long nanos);

    /**
     * An operation took long, or failed: it is answered too.
     *
     * @param isLogged whether there is a line about it; otherwise there were too many
     */
    default void slow(Operation operation, boolean isLogged) {}

    /** A range was refused because its address has as many open as one may. */
    default void refusedRange() {}

    /** An operation, as metrics and logs have it. */
    static String word(Operation operation) {
        return operation.name().toLowerCase(Locale.ROOT);
    }

    /** An operation without replicas was answered. */
    default void answered(Operation operation, int status, long nanos) {
        answered(operation, status, null, nanos);
    }
}
