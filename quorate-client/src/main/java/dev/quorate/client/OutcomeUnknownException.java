package dev.quorate.client;

import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The outcome of a write is unknown: it may be stored now, later, or never. Do not send it again as
 * a new write, which could overwrite later writes of other clients.
 */
public final class OutcomeUnknownException extends QuorateException {

    private final @Nullable Version version;

    OutcomeUnknownException(String message, @Nullable Version version) {
        super(message);
        this.version = version;
    }

    /**
     * The version with which the same write can be sent again ({@link WriteOptions#version}) for up
     * to three hours: it then takes effect once, and supersedes nothing newer. Empty if unknown.
     */
    public Optional<Version> version() {
        return Optional.ofNullable(version);
    }
}
