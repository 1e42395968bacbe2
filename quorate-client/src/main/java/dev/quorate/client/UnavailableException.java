package dev.quorate.client;

import org.jspecify.annotations.Nullable;

/**
 * No node could execute the operation before its deadline. A write is not stored, now or later, and
 * may be repeated. The message lists the answers of all nodes.
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
