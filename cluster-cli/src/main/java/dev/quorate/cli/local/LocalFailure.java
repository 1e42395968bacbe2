package dev.quorate.cli.local;

import java.io.IOException;

/** A command failed; the message is for the user. */
public final class LocalFailure extends IOException {

    private static final long serialVersionUID = 1;

    private final int exitCode;

    public LocalFailure(String message) {
        this(message, 1);
    }

    LocalFailure(String message, int exitCode) {
        super(message);
        this.exitCode = exitCode;
    }

    int exitCode() {
        return exitCode;
    }
}
