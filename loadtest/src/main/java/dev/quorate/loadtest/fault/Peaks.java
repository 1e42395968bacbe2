package dev.quorate.loadtest.fault;

/**
 * The maximum of a few figures of the node that takes the load.
 *
 * @param residentBytes of its process, with mapped files
 * @param operations queued for the node that fails, or sent to it and not answered
 * @param operationBytes of those
 * @param hintBytes of hints for it
 */
public record Peaks(
        double residentBytes, double operations, double operationBytes, double hintBytes) {

    /** The maximum of no samples. */
    static final Peaks NONE = new Peaks(0, 0, 0, 0);

    Peaks or(Peaks other) {
        return new Peaks(
                Math.max(residentBytes, other.residentBytes),
                Math.max(operations, other.operations),
                Math.max(operationBytes, other.operationBytes),
                Math.max(hintBytes, other.hintBytes));
    }

    /** Whether nothing is pending for the node that failed. */
    boolean isSettled() {
        return operations == 0 && hintBytes == 0;
    }
}
