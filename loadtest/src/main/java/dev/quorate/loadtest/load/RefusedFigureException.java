package dev.quorate.loadtest.load;

/** A measurement is invalid. The message is a sentence that states the reason. */
public final class RefusedFigureException extends Exception {

    public RefusedFigureException(String sentence) {
        super(sentence);
    }

    public String sentence() {
        return String.valueOf(getMessage());
    }
}
