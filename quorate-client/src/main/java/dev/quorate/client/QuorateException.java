package dev.quorate.client;

import org.jspecify.annotations.Nullable;

/** An operation failed. The three subclasses tell the outcome of a write. */
public abstract sealed class QuorateException extends RuntimeException
        permits UnavailableException, RefusedException, OutcomeUnknownException {

    QuorateException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }

    /** The same failure with the stack trace of the calling thread. */
    abstract QuorateException again();
}
