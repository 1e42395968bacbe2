package dev.quorate.testkit.history;

import java.util.List;

/**
 * The result of the checker.
 *
 * @param violations in the order of the keys' first operations
 */
public record HistoryVerdict(Promise promise, List<Violation> violations, Counts counts) {

    /** The number of violations that are printed in full. */
    private static final int MAX_SHOWN = 20;

    /**
     * The number of checked operations.
     *
     * @param keys those with at least one operation
     * @param operations all
     * @param readsChecked reads that were answered, and writes refused by their conditions
     * @param acknowledgedWrites PUTs and DELETEs
     * @param indeterminate operations with an unknown outcome, reads included
     * @param refused refused operations
     * @param ambiguousReads of the reads checked, "absent" ones that more than one DELETE explains,
     *     and which were therefore checked less strictly
     */
    public record Counts(
            long keys,
            long operations,
            long readsChecked,
            long acknowledgedWrites,
            long indeterminate,
            long refused,
            long ambiguousReads) {

        static final Counts NONE = new Counts(0, 0, 0, 0, 0, 0, 0);

        Counts plus(Counts other) {
            return new Counts(
                    keys + other.keys,
                    operations + other.operations,
                    readsChecked + other.readsChecked,
                    acknowledgedWrites + other.acknowledgedWrites,
                    indeterminate + other.indeterminate,
                    refused + other.refused,
                    ambiguousReads + other.ambiguousReads);
        }
    }

    public HistoryVerdict {
        violations = List.copyOf(violations);
    }

    /** Whether there is no violation. */
    public boolean isKept() {
        return violations.isEmpty();
    }

    /** A text for a terminal: the counts, then the first violations with their operations. */
    @Override
    public String toString() {
        StringBuilder text = new StringBuilder();
        text.append(isKept() ? "Kept: " : "BROKEN: ").append(promise);
        text.append(", checked on ")
                .append(HistoryText.count(counts.operations, "operation", "operations"));
        text.append(" on ").append(HistoryText.count(counts.keys, "key", "keys"));
        text.append(": ").append(HistoryText.count(counts.readsChecked, "read", "reads"));
        text.append(", ").append(HistoryText.count(counts.acknowledgedWrites, "write", "writes"));
        text.append(" acknowledged, ").append(counts.indeterminate).append(" indeterminate, ");
        text.append(counts.refused).append(" refused.");
        if (counts.ambiguousReads > 0) {
            text.append(" Of the reads, ")
                    .append(counts.ambiguousReads)
                    .append(" found nothing for which several DELETEs may be the reason.");
        }
        if (!isKept()) {
            text.append('\n')
                    .append(HistoryText.count(violations.size(), "violation", "violations"))
                    .append(':');
            violations.stream().limit(MAX_SHOWN).forEach(v -> text.append("\n  ").append(v));
            if (violations.size() > MAX_SHOWN) {
                text.append("\n  and ").append(violations.size() - MAX_SHOWN).append(" more");
            }
        }
        return text.toString();
    }
}
