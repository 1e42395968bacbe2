package dev.quorate.testkit.history;

import java.util.List;

/**
 * The result of the checker.
 *
 * @param violations in the order of the first operations of their keys
 */
public record HistoryVerdict(Promise promise, List<Violation> violations, Counts counts) {

    private static final int MAX_SHOWN = 20;

    /**
     * Numbers of checked operations.
     *
     * @param readsChecked answered reads, and writes whose condition failed
     * @param indeterminate operations with an unknown outcome, including reads
     * @param ambiguousReads checked reads that found nothing and that several DELETEs can explain;
     *     they are checked less strictly
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

    public boolean isKept() {
        return violations.isEmpty();
    }

    /** Text for a terminal: the counts, then the first violations with their operations. */
    @Override
    public String toString() {
        StringBuilder text = new StringBuilder(isKept() ? "Kept: " : "BROKEN: ");
        text.append(
                "%s, checked on %s on %s: %s, %s acknowledged, %d indeterminate, %d refused."
                        .formatted(
                                promise,
                                HistoryText.count(counts.operations, "operation"),
                                HistoryText.count(counts.keys, "key"),
                                HistoryText.count(counts.readsChecked, "read"),
                                HistoryText.count(counts.acknowledgedWrites, "write"),
                                counts.indeterminate,
                                counts.refused));
        if (counts.ambiguousReads > 0) {
            text.append(" Of the reads, ")
                    .append(counts.ambiguousReads)
                    .append(" found nothing for which several DELETEs may be the reason.");
        }
        if (!isKept()) {
            text.append("\n" + HistoryText.count(violations.size(), "violation") + ":");
            violations.stream().limit(MAX_SHOWN).forEach(v -> text.append("\n  ").append(v));
            if (violations.size() > MAX_SHOWN) {
                text.append("\n  and ").append(violations.size() - MAX_SHOWN).append(" more");
            }
        }
        return text.toString();
    }
}
