package dev.quorate.cli.client;

/** The exit code of a client command. */
public enum ExitCode {
    DONE(0),
    /**
     * {@code get}: no such key; {@code status}: a node is not ready; {@code import}: the file may
     * be incomplete.
     */
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

    int number() {
        return number;
    }
}
