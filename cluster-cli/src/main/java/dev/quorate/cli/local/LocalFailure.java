package dev.quorate.cli.local;

/** A command could not do what it was asked to; the message is for the person who asked. */
final class LocalFailure extends Exception {

    private static final long serialVersionUID = 1;

    private final int exitCode;

    LocalFailure(String message) {
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
