package dev.quorate.loadtest.fault;

/**
 * The most that was seen of a few figures, of the node that takes the load.
 *
 * @param residentBytes of its process, with mapped files
 * @param operations queued for the node that fails, or sent to it and not answered
 * @param operationBytes of those
 * @param hintBytes of writes that are kept for it
 */
public record Peaks(
        double residentBytes, double operations, double operationBytes, double hintBytes) {

    /** Of nothing seen yet. */
    static final Peaks NONE = new Peaks(0, 0, 0, 0);

    Peaks or(Peaks other) {
        return new Peaks(
                Math.max(residentBytes, other.residentBytes),
                Math.max(operations, other.operations),
                Math.max(operationBytes, other.operationBytes),
                Math.max(hintBytes, other.hintBytes));
    }

    /** Whether nothing is left to be done for the node that failed. */
    boolean isSettled() {
        return operations == 0 && hintBytes == 0;
    }
}
