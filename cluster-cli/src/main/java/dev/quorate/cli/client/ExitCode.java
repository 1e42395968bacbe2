package dev.quorate.cli.client;

/** The exit code of a client command. */
public enum ExitCode {
    DONE(0),
    /** {@code get}: no such key; {@code status}: not ready; {@code import}: incomplete. */
    NOT_THERE(1),
    USAGE(2),
    /** No node could execute the request, and nothing was changed. */
    UNAVAILABLE(3),
    /** A node refused the request. */
    REFUSED(4),
    /** A write may be stored now or later. */
    UNKNOWN(5);

    private final int number;

    ExitCode(int number) {
        this.number = number;
    }

    public int number() {
        return number;
    }
}
