package dev.quorate.client;

/** An operation failed. The three subclasses tell the outcome of a write. */
public abstract sealed class QuorateException extends RuntimeException
        permits UnavailableException, RefusedException, OutcomeUnknownException {

    QuorateException(String message) {
        super(message);
    }

    /** The same failure with the stack trace of the calling thread. */
    final QuorateException again() {
        String message = String.valueOf(getMessage());
        QuorateException copy =
                this instanceof OutcomeUnknownException unknown
                        ? new OutcomeUnknownException(message, unknown.version().orElse(null))
                        : this instanceof RefusedException refused
                                ? new RefusedException(refused.status(), message)
                                : new UnavailableException(message);
        copy.initCause(this);
        return copy;
    }
}
