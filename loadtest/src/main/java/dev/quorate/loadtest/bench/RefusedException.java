package dev.quorate.loadtest.bench;

/** What was measured is worth nothing, and why, in one sentence. */
public final class RefusedException extends Exception {

    public RefusedException(String sentence) {
        super(sentence);
    }

    public String sentence() {
        return String.valueOf(getMessage());
    }
}
