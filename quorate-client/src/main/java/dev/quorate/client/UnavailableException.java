package dev.quorate.client;

import org.jspecify.annotations.Nullable;

/**
 * No node could carry out the operation before its deadline. Of a write nothing is stored, nor will
 * be: it may be repeated. The message lists what each node answered.
 */
public final class UnavailableException extends QuorateException {

    UnavailableException(String message) {
        this(message, null);
    }

    private UnavailableException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }

    @Override
    QuorateException again() {
        return new UnavailableException(String.valueOf(getMessage()), this);
    }
}
