package dev.quorate.testkit.history;

import java.util.ArrayList;
import java.util.List;

/** Numbers the {@code ack/from} pairs ("specs") of one key, and tells which of them overlap. */
final class Specs {

    /** The number for an operation that is not evidence. */
    static final int NONE = -1;

    private record Spec(int ack, int from) {

        boolean overlaps(Spec other) {
            return from == other.from && ack + other.ack > from;
        }
    }

    private final Promise promise;
    private final List<Spec> specs = new ArrayList<>();

    /** Numbers the specs of the operations, and the majorities at which their reads count. */
    Specs(Promise promise, List<Operation> operations) {
        this.promise = promise;
        for (Operation operation : operations) {
            add(new Spec(operation.ack(), operation.from()));
            add(new Spec(majority(operation), operation.from()));
        }
    }

    private void add(Spec spec) {
        if (!specs.contains(spec)) {
            specs.add(spec);
        }
    }

    private static int majority(Operation operation) {
        return operation.from() / 2 + 1;
    }

    int size() {
        return specs.size();
    }

    /** Whether an operation with the target spec must observe one with the source spec. */
    boolean overlap(int source, int target) {
        return specs.get(source).overlaps(specs.get(target));
    }

    /**
     * The spec at which other operations must observe this one. An acknowledged write counts at its
     * own spec. A read counts only under promises that write its value back, and only at a
     * majority: a read at 3/3 need not store its value at three replicas.
     */
    int source(Operation operation) {
        return switch (operation.answer()) {
            case Answer.Stored(_), Answer.Deleted(_) -> own(operation);
            case Answer.Value(_, _), Answer.Absent(), Answer.Unmet(_) ->
                    promise == Promise.QUORUM || operation.ack() < majority(operation)
                            ? NONE
                            : specs.indexOf(new Spec(majority(operation), operation.from()));
            case Answer.Indeterminate(_), Answer.Refused(_) -> NONE;
        };
    }

    /**
     * The spec at which this operation must observe others. A write with an unknown outcome must
     * follow earlier operations only under linearizability: otherwise it may have a timestamp that
     * its coordinator would have rejected as too old.
     */
    int target(Operation operation) {
        boolean isUnknown = operation.answer() instanceof Answer.Indeterminate;
        boolean isConstrained = promise == Promise.LINEARIZABLE && operation.action().isWrite();
        return operation.answer() instanceof Answer.Refused || (isUnknown && !isConstrained)
                ? NONE
                : own(operation);
    }

    private int own(Operation operation) {
        return specs.indexOf(new Spec(operation.ack(), operation.from()));
    }
}
