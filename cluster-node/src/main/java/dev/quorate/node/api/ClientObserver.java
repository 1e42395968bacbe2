package dev.quorate.node.api;

/** Told of each client operation, for metrics. Must be quick, and must not block or throw. */
public interface ClientObserver {

    /** What clients do. */
    enum Operation {
        GET,
        PUT,
        DELETE,
        SCAN,
        STATUS,
        PAGE,
        /** Refused before it was known what it would have been. */
        OTHER
    }

    /** Notes nothing. */
    ClientObserver NONE = (operation, status, nanos) -> {};

    /**
     * An operation was answered.
     *
     * @param status as sent; of a stream that was cut off, 504
     * @param nanos from the complete request to the answer, for a stream to its end
     */
    void answered(Operation operation, int status, long nanos);
}
