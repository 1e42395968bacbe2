package dev.quorate.cli.client;

/** Ends a command with a sentence for the user. */
final class CommandFailure extends Exception {

    private static final long serialVersionUID = 1;

    private final ExitCode exit;

    CommandFailure(ExitCode exit, String sentence) {
        super(sentence);
        this.exit = exit;
    }

    ExitCode exit() {
        return exit;
    }
}
