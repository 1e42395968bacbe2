package dev.quorate.client;

import org.jspecify.annotations.Nullable;

/** An operation failed. Its three kinds say what became of a write. */
public abstract sealed class QuorateException extends RuntimeException
        permits UnavailableException, RefusedException, OutcomeUnknownException {

    QuorateException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }

    /** The same failure, with the stack of the thread that asks. */
    abstract QuorateException again();
}
