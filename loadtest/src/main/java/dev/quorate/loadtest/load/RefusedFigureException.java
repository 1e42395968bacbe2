package dev.quorate.loadtest.load;

/** What was measured is worth nothing, and why, in one sentence. */
public final class RefusedFigureException extends Exception {

    public RefusedFigureException(String sentence) {
        super(sentence);
    }

    public String sentence() {
        return String.valueOf(getMessage());
    }
}
