package dev.quorate.loadtest;

/** The benchmark cannot go on or is worth nothing. The message is one sentence for the user. */
public final class BenchException extends Exception {

    public BenchException(String sentence) {
        super(sentence);
    }
}
