package dev.quorate.cli.process;

/** Another program failed. The message is for the user. */
public class CommandException extends Exception {

    public CommandException(String message) {
        super(message);
    }

    public CommandException(String message, Throwable cause) {
        super(message, cause);
    }
}
