package dev.quorate.client;

import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * It is not known what became of a write: it may be stored now, later, or never. Do not send it
 * again as a new write: that could overwrite what others have written since.
 */
public final class OutcomeUnknownException extends QuorateException {

    private final @Nullable Version version;

    OutcomeUnknownException(String message, @Nullable Version version) {
        this(message, version, null);
    }

    private OutcomeUnknownException(
            String message, @Nullable Version version, @Nullable Throwable cause) {
        super(message, cause);
        this.version = version;
    }

    /**
     * With which the same write may be sent again ({@link WriteOptions#version}), for up to three
     * hours: it is then made once, and supersedes nothing newer. Empty if it is not known.
     */
    public Optional<Version> version() {
        return Optional.ofNullable(version);
    }

    @Override
    QuorateException again() {
        return new OutcomeUnknownException(String.valueOf(getMessage()), version, this);
    }
}
