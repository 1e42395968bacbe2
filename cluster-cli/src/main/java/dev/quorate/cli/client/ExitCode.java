package dev.quorate.cli.client;

/** How a command of a client ends. */
public enum ExitCode {
    DONE(0),
    /**
     * {@code get}: there is no such key; {@code status}: a node is not ready; {@code import}: the
     * file may be a part of an export.
     */
    NOT_THERE(1),
    USAGE(2),
    /** No node could do it, and nothing was done. */
    UNAVAILABLE(3),
    /** A node refused the request. */
    REFUSED(4),
    /** A write may have been stored, or may still be. */
    UNKNOWN(5);

    private final int number;

    ExitCode(int number) {
        this.number = number;
    }

    int number() {
        return number;
    }
}
