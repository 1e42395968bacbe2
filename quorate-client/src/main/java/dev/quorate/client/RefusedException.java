package dev.quorate.client;

/**
 * The operation was refused, and every node would refuse it: for example an invalid request, a
 * value that is too large, or a version of another write. A write is not stored.
 */
public final class RefusedException extends QuorateException {

    private final int status;

    public RefusedException(int status, String message) {
        super(message);
        this.status = status;
    }

    /** The HTTP status, 400 to 499; 0 if this client refused an answer that is too large. */
    public int status() {
        return status;
    }
}
