package dev.quorate.testkit.history;

/** Judges a history. */
public final class Checker {

    private Checker() {}

    /** Holds a history against what the cluster promises by default, {@link Promise#QUORUM}. */
    public static Verdict check(History history) {
        return check(history, Promise.QUORUM);
    }

    /** Holds a history against a promise. */
    public static Verdict check(History history, Promise promise) {
        throw new UnsupportedOperationException("Not built yet: " + promise + history);
    }
}
