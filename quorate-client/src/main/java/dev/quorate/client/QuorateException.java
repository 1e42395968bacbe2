package dev.quorate.client;

/** An operation failed. The three subclasses tell the outcome of a write. */
public abstract sealed class QuorateException extends RuntimeException
        permits UnavailableException, RefusedException, OutcomeUnknownException {

    QuorateException(String message) {
        super(message);
    }

    /** The same failure with the stack trace of the calling thread. */
    final QuorateException again() {
        QuorateException copy = copy(String.valueOf(getMessage()));
        copy.initCause(this);
        return copy;
    }

    abstract QuorateException copy(String message);
}
