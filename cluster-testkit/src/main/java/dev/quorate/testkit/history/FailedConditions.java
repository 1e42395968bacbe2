package dev.quorate.testkit.history;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Treats conditional writes of one key whose condition failed as reads of the current value. Their
 * answer contains only the version, so the value is known if another answer has both.
 */
final class FailedConditions {

    private final Map<String, String> valueOfVersion = new HashMap<>();
    private final Map<String, Set<String>> versionsOfValue = new HashMap<>();
    private final IdentityHashMap<Operation, Operation> originals = new IdentityHashMap<>();
    private final List<Operation> operations = new ArrayList<>();

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
                    // A write with another from may have completed this one: nothing is promised
                    // between the two.
                    replace(
                            operation,
                            operation.action(),
                            new Answer.Indeterminate("412, and shown at another from"));
                } else if (seen != null) {
                    replace(operation, new Action.Get(), seen);
                }
            } else {
                operations.add(operation);
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
        operations.add(other);
    }

    /** All operations, with reads in place of failed conditional writes; omits unknown values. */
    List<Operation> asReads() {
        return operations;
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
