package dev.quorate.cli.client;

/** Ends a command with a sentence for the user. */
public final class CommandFailure extends Exception {

    private static final long serialVersionUID = 1;

    private final ExitCode exit;

    public CommandFailure(ExitCode exit, String sentence) {
        super(sentence);
        this.exit = exit;
    }

    public ExitCode exit() {
        return exit;
    }
}
