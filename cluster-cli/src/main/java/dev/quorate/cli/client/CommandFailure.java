package dev.quorate.cli.client;

import dev.quorate.cli.local.Node;
import dev.quorate.client.OutcomeUnknownException;
import dev.quorate.client.QuorateException;
import dev.quorate.client.RefusedException;

/** A command failed. The message is for the user. */
public final class CommandFailure extends Exception {

    private static final long serialVersionUID = 1;

    private final ExitCode exit;
    private final int status;

    public CommandFailure(ExitCode exit, String sentence) {
        this(exit, sentence, 0);
    }

    private CommandFailure(ExitCode exit, String sentence, int status) {
        super(sentence);
        this.exit = exit;
        this.status = status;
    }

    /** The arguments are invalid, or a file cannot be used. */
    public static CommandFailure usage(String sentence) {
        return new CommandFailure(ExitCode.USAGE, sentence);
    }

    /** No node could execute the request. */
    public static CommandFailure unavailable(String sentence) {
        return new CommandFailure(ExitCode.UNAVAILABLE, sentence);
    }

    static CommandFailure of(QuorateException failure) {
        String message = String.valueOf(failure.getMessage());
        if (failure instanceof OutcomeUnknownException unknown) {
            String version =
                    unknown.version()
                            .map(each -> "--write-version " + each + " sends the same write again.")
                            .orElse("read the key before you write it again.");
            return new CommandFailure(
                    ExitCode.UNKNOWN,
                    message
                            + System.lineSeparator()
                            + "It is unknown whether this was stored: "
                            + version);
        }
        int status = failure instanceof RefusedException refused ? refused.status() : 0;
        return new CommandFailure(
                status == 0 ? ExitCode.UNAVAILABLE : ExitCode.REFUSED,
                message + Node.advice(status),
                status);
    }

    public ExitCode exit() {
        return exit;
    }

    /** The HTTP status with which a node has refused; 0 for none. */
    int status() {
        return status;
    }
}
