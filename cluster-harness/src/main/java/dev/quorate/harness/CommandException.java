package dev.quorate.harness;

/** Another program did not do what it was started for. The message is for the user. */
public final class CommandException extends Exception {

    public CommandException(String message) {
        super(message);
    }

    public CommandException(String message, Throwable cause) {
        super(message, cause);
    }
}
