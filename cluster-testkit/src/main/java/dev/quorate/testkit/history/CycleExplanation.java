package dev.quorate.testkit.history;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Explains a cycle of versions, each of which is older than the next, in words. */
record CycleExplanation(String key, Specs specs) {

    /** A violation with the reads that show it, which are set aside before the next search. */
    record Finding(Violation violation, List<Operation> accused) {}

    /** A step of a cycle: the first operation had ended before the second began. */
    private record Step(Operation before, Operation after) {

        /** Whether the second operation is a read, which did not show what it should have shown. */
        boolean isAccusation() {
            return !after.action().isWrite();
        }

        /** Whether the other step accuses no read, or an earlier one. */
        boolean isAfter(@Nullable Step other) {
            return other == null
                    || !other.isAccusation()
                    || other.after.began().isBefore(after.began());
        }

        static Stream<Operation> operations(@Nullable Step step) {
            return step == null ? Stream.of() : Stream.of(step.before, step.after);
        }

        @Override
        public String toString() {
            return described(before) + " had ended before " + described(after) + " began";
        }
    }

    Finding explain(List<VersionNode> cycle) {
        if (cycle.size() == 2) {
            VersionNode one = cycle.get(0);
            VersionNode other = cycle.get(1);
            Step there = step(one, other);
            Step back = step(other, one);
            if (there != null && there.isAccusation() && there.isAfter(back)) {
                return explainPair(one, other, there, back);
            }
            if (back != null && back.isAccusation()) {
                return explainPair(other, one, back, there);
            }
        }
        return explainRound(cycle);
    }

    /** Operations that show that the first is older: its write if possible, or else a read. */
    private @Nullable Step step(VersionNode older, VersionNode newer) {
        List<Operation> sources = new ArrayList<>();
        older.operations().filter(o -> specs.source(o) != Specs.NONE).forEach(sources::add);
        sources.sort(
                Comparator.comparing((Operation o) -> !o.action().isWrite())
                        .thenComparingLong(o -> o.ended().order()));
        boolean[] isTried = new boolean[specs.size()];
        for (Operation source : sources) {
            if (source.action().isWrite() || !isTried[specs.source(source)]) {
                isTried[specs.source(source)] |= !source.action().isWrite();
                for (Operation target : newer.operations().toList()) {
                    if (hasToSee(target, source)) {
                        return new Step(source, target);
                    }
                }
            }
        }
        return null;
    }

    private boolean hasToSee(Operation target, Operation source) {
        return source.isBefore(target)
                && specs.target(target) != Specs.NONE
                && specs.overlap(specs.source(source), specs.target(target));
    }

    /** Explains a read of the older version after the newer version was observed. */
    private Finding explainPair(
            VersionNode newer, VersionNode older, Step seen, @Nullable Step order) {
        Operation witness = seen.before;
        List<Operation> accused =
                older.reads().stream().filter(other -> hasToSee(other, witness)).toList();
        Violation.Kind kind = kind(newer, older, witness, order);
        String shows = older.isValue() ? "shows " + shown(older) : "finds nothing";
        String sentence =
                switch (kind) {
                    case LOST_WRITE ->
                            described(witness) + " was acknowledged, yet a later read " + shows;
                    case DELETE_UNDONE ->
                            "The key was deleted, yet a later read " + shows + " again";
                    case WENT_BACK ->
                            (newer.isValue()
                                            ? "A read shows " + shown(newer)
                                            : "A read finds nothing")
                                    + ", yet a later one "
                                    + shows;
                    case UNSTABLE_ORDER, FROM_NOWHERE, LOST_UPDATE, WRONG_CONDITION ->
                            "Which of two writes is the newer one was answered both ways: " + seen;
                };
        List<Operation> involved = new ArrayList<>();
        newer.operations().limit(1).forEach(involved::add);
        older.operations().limit(1).forEach(involved::add);
        Stream.concat(Step.operations(seen), Step.operations(order)).forEach(involved::add);
        String more =
                accused.size() > 1
                        ? (accused.size() > 2 ? " So do " : " So does ")
                                + HistoryText.count(accused.size() - 1L, "more read")
                                + "."
                        : "";
        return new Finding(
                violation(kind, involved, sentence + because(kind, older, order) + "." + more),
                accused);
    }

    private static Violation.Kind kind(
            VersionNode newer, VersionNode older, Operation witness, @Nullable Step order) {
        if (!witness.action().isWrite()) {
            return Violation.Kind.WENT_BACK;
        }
        if (order != null && order.isAccusation()) {
            return Violation.Kind.UNSTABLE_ORDER;
        }
        return newer.isValue() || !older.isValue()
                ? Violation.Kind.LOST_WRITE
                : Violation.Kind.DELETE_UNDONE;
    }

    private static String because(Violation.Kind kind, VersionNode older, @Nullable Step order) {
        if (order != null && kind == Violation.Kind.UNSTABLE_ORDER) {
            String before = described(order.before);
            return ", and " + before + " before " + described(order.after) + " began";
        }
        if (older.isValue()) {
            return order == null ? "" : ", which is older: " + order;
        }
        return ", and no DELETE can be the reason" + (order == null ? "" : ": " + order);
    }

    private Finding explainRound(List<VersionNode> cycle) {
        List<Operation> involved = new ArrayList<>();
        List<Operation> reads = new ArrayList<>();
        StringBuilder sentence = new StringBuilder("No order of the writes fits:");
        for (int i = 0; i < cycle.size(); i++) {
            VersionNode older = cycle.get(i);
            VersionNode newer = cycle.get((i + 1) % cycle.size());
            Step step = step(older, newer);
            older.operations().limit(1).forEach(involved::add);
            Step.operations(step).forEach(involved::add);
            Step.operations(step).filter(o -> !o.action().isWrite()).forEach(reads::add);
            reads.addAll(older.reads());
            if (step != null) {
                sentence.append(i == 0 ? " " : ", ").append(shown(older));
                sentence.append(" was there before ").append(shown(newer));
                sentence.append(" (").append(step).append(')');
            }
        }
        List<Operation> accused =
                reads.stream()
                        .max(Comparator.comparingLong(o -> o.began().order()))
                        .map(List::of)
                        .orElse(List.of());
        Violation violation =
                violation(Violation.Kind.UNSTABLE_ORDER, involved, sentence.append('.').toString());
        return new Finding(violation, accused);
    }

    private Violation violation(Violation.Kind kind, List<Operation> involved, String sentence) {
        return Violation.of(kind, key, involved.stream(), sentence);
    }

    private static String shown(VersionNode version) {
        String value = version.value();
        return value == null ? "nothing" : HistoryText.quoted(value);
    }

    private static String described(Operation operation) {
        if (operation.answer() instanceof Answer.Value(String value, _)) {
            return "a read of " + HistoryText.quoted(value);
        }
        boolean isAbsent = operation.answer() instanceof Answer.Absent;
        return isAbsent ? "a read that found nothing" : operation.action().toString();
    }
}
