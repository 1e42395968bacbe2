package dev.quorate.testkit.history;

import java.util.Comparator;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A promise that was not kept.
 *
 * @param operations those that cannot all be true, by their beginning
 * @param sentence what happened, in plain words
 */
public record Violation(Kind kind, String key, List<Operation> operations, String sentence) {

    /** What went wrong. */
    public enum Kind {
        /** An acknowledged write was not seen by a read that had to see it. */
        LOST_WRITE,
        /** A value from before an acknowledged delete was seen after it. */
        DELETE_UNDONE,
        /** A read showed something older than an earlier read did. */
        WENT_BACK,
        /** Which of two writes is the newer one was answered both ways. */
        UNSTABLE_ORDER,
        /** A value that was never written, or was refused, or was written only later. */
        FROM_NOWHERE,
        /** Two writes replaced one value, each on the condition that it was there. */
        LOST_UPDATE,
        /** A conditional write was done, or was not, though its condition says otherwise. */
        WRONG_CONDITION
    }

    public Violation {
        operations = List.copyOf(operations);
    }

    /** With each operation once, by their beginning. */
    static Violation of(Kind kind, String key, Stream<Operation> involved, String sentence) {
        Comparator<Operation> byBeginning = Comparator.comparingLong(o -> o.began().order());
        return new Violation(kind, key, involved.distinct().sorted(byBeginning).toList(), sentence);
    }

    @Override
    public String toString() {
        String lines = operations.stream().map(o -> "\n    " + o).collect(Collectors.joining());
        return kind + " of key " + HistoryText.quoted(key) + ": " + sentence + lines;
    }
}
