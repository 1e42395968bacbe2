package dev.quorate.testkit.history;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Checks the operations of one key. */
final class KeyChecker {

    private static final int MAX_VIOLATIONS = 10;

    private final Promise promise;
    private final String key;
    private final List<Operation> operations;
    private final List<Violation> violations = new ArrayList<>();

    KeyChecker(Promise promise, String key, List<Operation> operations) {
        this.promise = promise;
        this.key = key;
        this.operations = operations;
    }

    HistoryVerdict check() {
        FailedConditions failed = new FailedConditions(operations);
        findContradictions(failed);
        List<Operation> known = failed.asReads();
        Set<Operation> setAside = Collections.newSetFromMap(new IdentityHashMap<>());
        findFromNowhere(known, setAside);
        KeyModel model = new KeyModel(promise, without(known, setAside));
        int ambiguousReads = model.ambiguousReads();
        List<VersionNode> cycle = model.findCycle();
        while (!cycle.isEmpty() && violations.size() < MAX_VIOLATIONS) {
            CycleExplanation.Finding finding =
                    new CycleExplanation(key, model.specs()).explain(cycle);
            violations.add(withOriginals(finding.violation(), failed));
            setAside.addAll(finding.accused());
            model = new KeyModel(promise, without(known, setAside));
            cycle = finding.accused().isEmpty() ? List.of() : model.findCycle();
        }
        new Successions(key, without(known, setAside))
                .violations(promise).stream()
                        .limit(MAX_VIOLATIONS)
                        .map(violation -> withOriginals(violation, failed))
                        .forEach(violations::add);
        if (violations.isEmpty() && ambiguousReads > 0 && promise == Promise.LINEARIZABLE) {
            // MONOTONIC is weaker, but can decide which delete an ambiguous read observed.
            HistoryVerdict weaker = new KeyChecker(Promise.MONOTONIC, key, operations).check();
            violations.addAll(weaker.violations());
        }
        return new HistoryVerdict(promise, violations, counts(ambiguousReads));
    }

    private static Violation withOriginals(Violation violation, FailedConditions failed) {
        return new Violation(
                violation.kind(),
                violation.key(),
                violation.operations().stream().map(failed::original).toList(),
                violation.sentence());
    }

    /** Finds writes whose condition failed although it held, according to their own answer. */
    private void findContradictions(FailedConditions failed) {
        for (Operation write : operations) {
            String sentence = failed.contradiction(write);
            if (sentence != null && violations.size() < MAX_VIOLATIONS) {
                violations.add(
                        new Violation(
                                Violation.Kind.WRONG_CONDITION,
                                key,
                                List.of(write),
                                sentence + "."));
            }
        }
    }

    private static List<Operation> without(List<Operation> operations, Set<Operation> setAside) {
        return operations.stream().filter(operation -> !setAside.contains(operation)).toList();
    }

    /** Finds reads of values that were never written, refused, or written only later. */
    private void findFromNowhere(List<Operation> known, Set<Operation> setAside) {
        Map<String, Operation> puts = new HashMap<>();
        Stream.concat(operations.stream(), known.stream())
                .forEach(
                        operation -> {
                            if (operation.action() instanceof Action.Put(String value, _)) {
                                puts.put(value, operation);
                            }
                        });
        for (Operation read : known) {
            if (read.answer() instanceof Answer.Value(String value, _)) {
                Operation put = puts.get(value);
                String sentence = fromNowhere(read, value, put);
                if (sentence != null) {
                    setAside.add(read);
                    if (violations.size() < MAX_VIOLATIONS) {
                        List<Operation> involved = put == null ? List.of(read) : List.of(read, put);
                        violations.add(
                                new Violation(
                                        Violation.Kind.FROM_NOWHERE, key, involved, sentence));
                    }
                }
            }
        }
    }

    private static @Nullable String fromNowhere(
            Operation read, String value, @Nullable Operation put) {
        String shows = "A read shows " + HistoryText.quoted(value) + ", which ";
        if (put == null) {
            return shows + "nobody wrote to this key.";
        }
        if (put.answer() instanceof Answer.Refused) {
            return shows + "was refused.";
        }
        if (put.answer() instanceof Answer.Unmet) {
            return shows + "was refused because of its condition.";
        }
        return read.isBefore(put) ? shows + "was written only later." : null;
    }

    private HistoryVerdict.Counts counts(int ambiguousReads) {
        long reads = 0;
        long acknowledged = 0;
        long indeterminate = 0;
        long refused = 0;
        for (Operation operation : operations) {
            switch (operation.answer()) {
                case Answer.Value(_, _), Answer.Absent(), Answer.Unmet(_) -> reads++;
                case Answer.Stored(_), Answer.Deleted(_) -> acknowledged++;
                case Answer.Indeterminate(_) -> indeterminate++;
                case Answer.Refused(_) -> refused++;
            }
        }
        return new HistoryVerdict.Counts(
                1, operations.size(), reads, acknowledged, indeterminate, refused, ambiguousReads);
    }
}
