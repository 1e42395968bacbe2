package dev.quorate.node.api.answer;

import dev.quorate.router.quorum.QuorumSpec;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Receives each client operation, for metrics. Must be quick, and must not block or throw. */
public interface ClientObserver {

    enum Operation {
        GET,
        PUT,
        DELETE,
        PATCH,
        SCAN,
        /** Many operations, each of which is also counted. */
        BATCH,
        STATUS,
        PAGE,
        /** Refused before its kind was known. */
        OTHER
    }

    /**
     * An operation was answered.
     *
     * @param status the status sent; 504 for an aborted stream
     * @param replicas the quorum of the operation; null if it was refused before this was known
     * @param nanos from the complete request to the answer, or to the end of a stream
     */
    void answered(Operation operation, int status, @Nullable QuorumSpec replicas, long nanos);

    /**
     * An operation was slow or failed; {@link #answered} is called too.
     *
     * @param isLogged whether it was logged; otherwise there were too many
     */
    default void slow(Operation operation, boolean isLogged) {}

    /** A range was refused because its address has the maximum number open. */
    default void refusedRange() {}

    static String word(Operation operation) {
        return operation.name().toLowerCase(Locale.ROOT);
    }

    /** An operation without replicas was answered. */
    default void answered(Operation operation, int status, long nanos) {
        answered(operation, status, null, nanos);
    }
}
