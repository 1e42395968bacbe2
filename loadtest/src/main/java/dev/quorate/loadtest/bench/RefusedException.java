package dev.quorate.loadtest.bench;

/** What was measured is worth nothing, and why, in one sentence. */
final class RefusedException extends Exception {

    RefusedException(String sentence) {
        super(sentence);
    }

    String sentence() {
        return String.valueOf(getMessage());
    }
}
