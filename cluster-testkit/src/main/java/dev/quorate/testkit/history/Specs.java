package dev.quorate.testkit.history;

import java.util.ArrayList;
import java.util.List;

/**
 * The {@code ack/from} that occur on one key, numbered, and which of them overlap. Few: a client
 * uses a handful.
 */
final class Specs {

    /** No number: the operation is no evidence here. */
    static final int NONE = -1;

    private record Spec(int ack, int from) {

        boolean overlaps(Spec other) {
            return from == other.from && ack + other.ack > from;
        }
    }

    private final Promise promise;
    private final List<Spec> specs = new ArrayList<>();

    /** The specs of these, and those at which their reads count. */
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

    /** Whether what counts at one of these numbers has to be seen by what asks at the other. */
    boolean overlap(int source, int target) {
        return specs.get(source).overlaps(specs.get(target));
    }

    /**
     * The number at which others have to see what this one did: what was acknowledged counts at its
     * own spec. A read value counts only under promises that write it back to a majority, and only
     * as a majority: a read at 3/3 is not bound to leave what it showed with three.
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
     * The number at which this one has to observe the effects of others. A write with an unknown
     * outcome must follow earlier operations only where operations take effect at one instant:
     * elsewhere it may have a timestamp that its coordinator would have found to be too old.
     */
    int target(Operation operation) {
        return switch (operation.answer()) {
            case Answer.Stored(_),
                    Answer.Deleted(_),
                    Answer.Value(_, _),
                    Answer.Absent(),
                    Answer.Unmet(_) ->
                    own(operation);
            case Answer.Indeterminate(_) ->
                    promise == Promise.LINEARIZABLE && operation.action().isWrite()
                            ? own(operation)
                            : NONE;
            case Answer.Refused(_) -> NONE;
        };
    }

    private int own(Operation operation) {
        return specs.indexOf(new Spec(operation.ack(), operation.from()));
    }
}
