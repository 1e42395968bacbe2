package dev.quorate.client;

import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** An operation failed. The three subclasses tell the outcome of a write. */
public abstract sealed class QuorateException extends RuntimeException
        permits UnavailableException, RefusedException, OutcomeUnknownException {

    private @Nullable String traceId;

    QuorateException(String message) {
        super(message);
    }

    /**
     * The trace id of the operation, 32 hexadecimal digits. Nodes log what they do for it under
     * this id. Empty if nothing was sent.
     */
    public final Optional<String> traceId() {
        return Optional.ofNullable(traceId);
    }

    /** Before the exception is seen by another thread. */
    final QuorateException inTrace(@Nullable String id) {
        traceId = id;
        return this;
    }

    @Override
    public String getMessage() {
        String message = String.valueOf(super.getMessage());
        return traceId == null ? message : message + "\nTrace " + traceId;
    }

    /** The same failure with the stack trace of the calling thread. */
    final QuorateException again() {
        String message = String.valueOf(super.getMessage());
        QuorateException copy =
                this instanceof OutcomeUnknownException unknown
                        ? new OutcomeUnknownException(message, unknown.version().orElse(null))
                        : this instanceof RefusedException refused
                                ? new RefusedException(refused.status(), message)
                                : new UnavailableException(message);
        copy.initCause(this);
        return copy.inTrace(traceId);
    }
}
