package dev.quorate.testkit.history;

import java.util.Comparator;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A broken promise.
 *
 * @param operations the operations that contradict each other, by their beginning
 */
public record Violation(Kind kind, String key, List<Operation> operations, String sentence) {

    public enum Kind {
        /** A read did not show an acknowledged write. */
        LOST_WRITE,
        /** A read after an acknowledged delete showed an older value. */
        DELETE_UNDONE,
        /** A read showed an older version than an earlier read. */
        WENT_BACK,
        /** Answers contradict each other about the order of two writes. */
        UNSTABLE_ORDER,
        /** A read showed a value that was never written, refused, or written only later. */
        FROM_NOWHERE,
        /** Two conditional writes replaced the same value. */
        LOST_UPDATE,
        /** A conditional write succeeded although its condition did not hold, or vice versa. */
        WRONG_CONDITION
    }

    /** Sorts the operations by their beginning, without duplicates. */
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
