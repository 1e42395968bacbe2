package dev.quorate.loadtest.load;

import dev.quorate.cli.process.CommandException;

/** A measurement is invalid. The message is a sentence that states the reason. */
public final class RefusedFigureException extends CommandException {

    public RefusedFigureException(String sentence) {
        super(sentence);
    }
}
