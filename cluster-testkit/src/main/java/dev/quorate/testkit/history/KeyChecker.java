package dev.quorate.testkit.history;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
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
        List<Operation> known = failed.reads;
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

    /**
     * Treats conditional writes of one key whose condition failed as reads of the current value.
     * Their answer contains only the version, so the value is known if another answer has both.
     */
    private static final class FailedConditions {

        private final Map<String, String> valueOfVersion = new HashMap<>();
        private final Map<String, Set<String>> versionsOfValue = new HashMap<>();
        private final IdentityHashMap<Operation, Operation> originals = new IdentityHashMap<>();

        /**
         * All operations, with reads in place of failed conditional writes; omits unknown values.
         */
        private final List<Operation> reads = new ArrayList<>();

        FailedConditions(List<Operation> all) {
            boolean isMixed = all.stream().map(Operation::from).distinct().count() > 1;
            for (Operation operation : all) {
                if (operation.answer() instanceof Answer.Value(String value, String version)) {
                    note(version, value);
                } else if (operation.answer() instanceof Answer.Stored(String version)
                        && operation.action() instanceof Action.Put(String value, _)) {
                    note(version, value);
                }
            }
            for (Operation operation : all) {
                if (operation.answer() instanceof Answer.Unmet(String version)) {
                    Answer seen = seen(version);
                    if (isMixed
                            && operation.action() instanceof Action.Put(String value, _)
                            && valueOfVersion.containsValue(value)) {
                        // A write with another from may have completed this one: nothing is
                        // promised
                        // between the two.
                        replace(
                                operation,
                                operation.action(),
                                new Answer.Indeterminate("412, and shown at another from"));
                    } else if (seen != null) {
                        replace(operation, new Action.Get(), seen);
                    }
                } else {
                    reads.add(operation);
                }
            }
        }

        private void note(String version, String value) {
            if (!version.isEmpty()) {
                valueOfVersion.putIfAbsent(version, value);
                versionsOfValue.computeIfAbsent(value, _ -> new HashSet<>()).add(version);
            }
        }

        private @Nullable Answer seen(String version) {
            if (version.isEmpty()) {
                return new Answer.Absent();
            }
            String value = valueOfVersion.get(version);
            return value == null ? null : new Answer.Value(value, version);
        }

        private void replace(Operation write, Action action, Answer answer) {
            Operation other = write.as(action, answer);
            originals.put(other, write);
            reads.add(other);
        }

        /** The write that a read replaces; for any other operation the operation itself. */
        Operation original(Operation operation) {
            return originals.getOrDefault(operation, operation);
        }

        /**
         * Describes a failed condition that held according to the answer; null if it did not. A
         * restamped write has one value under two versions, and the condition names one of them, so
         * such a failure is not checked.
         */
        @Nullable String contradiction(Operation write) {
            if (!(write.answer() instanceof Answer.Unmet(String version))) {
                return null;
            }
            boolean holds =
                    switch (write.action().condition()) {
                        case HistoryCondition.None() -> false;
                        case HistoryCondition.Is(String value) ->
                                Set.of(version).equals(versionsOfValue.get(value));
                        case HistoryCondition.Present() -> !version.isEmpty();
                        case HistoryCondition.Absent() -> version.isEmpty();
                    };
            return holds ? write.action() + " was refused, though its condition held" : null;
        }
    }
}
