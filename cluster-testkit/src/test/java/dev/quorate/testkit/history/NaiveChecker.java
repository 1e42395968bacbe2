package dev.quorate.testkit.history;

import java.util.ArrayList;
import java.util.List;
import java.util.function.IntPredicate;

/**
 * Judges a few operations on one key by trying everything: which write each read saw, and every
 * order of the versions. Written from the definitions, and with nothing of {@link Checker}.
 */
final class NaiveChecker {

    private static final int NOTHING = -1;

    private final List<Operation> operations;
    private final Promise promise;

    private NaiveChecker(Promise promise, List<Operation> operations) {
        this.promise = promise;
        this.operations = operations;
    }

    static boolean isKept(History history, Promise promise) {
        List<Operation> known =
                history.operations().stream()
                        .filter(o -> o.action().isWrite() || isAnsweredRead(o))
                        .filter(o -> !(o.answer() instanceof Answer.Refused))
                        .toList();
        NaiveChecker naive = new NaiveChecker(promise, known);
        return promise == Promise.LINEARIZABLE
                ? naive.isLinearizable(new boolean[known.size()], "absent")
                : naive.hasExplanation(new int[known.size()], 0);
    }

    // ---- Linearizability: take one that nothing has to precede, and see if it can be next.

    private boolean isLinearizable(boolean[] done, String state) {
        boolean isOver = true;
        for (int i = 0; i < done.length; i++) {
            Operation next = operations.get(i);
            if (done[i]) {
                continue;
            }
            isOver &= next.answer() instanceof Answer.Indeterminate;
            if (hasToWait(next, done)) {
                continue;
            }
            boolean isUnmet = next.answer() instanceof Answer.Unmet;
            String after =
                    switch (next.action()) {
                        case Action.Put(String value, _) -> isUnmet ? state : "value " + value;
                        case Action.Delete(_) -> isUnmet ? state : "absent";
                        case Action.Get() -> state;
                    };
            boolean holds = holds(next.action().condition(), state);
            if (isUnmet
                    ? !holds && isShown(next, state)
                    : holds && (!isAnsweredRead(next) || state.equals(seen(next)))) {
                done[i] = true;
                if (isLinearizable(done, after)) {
                    return true;
                }
                done[i] = false;
            }
        }
        return isOver;
    }

    private static boolean holds(HistoryCondition condition, String state) {
        return switch (condition) {
            case HistoryCondition.None() -> true;
            case HistoryCondition.Is(String value) -> state.equals("value " + value);
            case HistoryCondition.Present() -> !state.equals("absent");
            case HistoryCondition.Absent() -> state.equals("absent");
        };
    }

    /** Whether the version of a 412 is that of this state, as {@link HistoryBuilder} has it. */
    private static boolean isShown(Operation write, String state) {
        return write.answer() instanceof Answer.Unmet(String version)
                && (version.isEmpty()
                        ? state.equals("absent")
                        : state.equals("value " + version.substring("of ".length())));
    }

    private boolean hasToWait(Operation next, boolean[] done) {
        for (int i = 0; i < done.length; i++) {
            Operation other = operations.get(i);
            if (!done[i] && isKnown(other) && other.ended().order() < next.began().order()) {
                return true;
            }
        }
        return false;
    }

    private static String seen(Operation read) {
        return read.answer() instanceof Answer.Value(String value, _) ? "value " + value : "absent";
    }

    // ---- The weaker promises: for each read a write it saw, and a place for each of them.

    private boolean hasExplanation(int[] saw, int index) {
        if (index == operations.size()) {
            int[] places = new int[index];
            return hasOrder(saw, places, 0);
        }
        Operation read = operations.get(index);
        if (read.action().isWrite()) {
            saw[index] = index;
            return hasExplanation(saw, index + 1);
        }
        List<Integer> choices = new ArrayList<>();
        if (read.answer() instanceof Answer.Absent) {
            choices.add(NOTHING);
        }
        for (int i = 0; i < operations.size(); i++) {
            Operation write = operations.get(i);
            boolean isSeen =
                    switch (write.action()) {
                        case Action.Put(String value, _) -> seen(read).equals("value " + value);
                        case Action.Delete(_) -> read.answer() instanceof Answer.Absent;
                        case Action.Get() -> false;
                    };
            if (isSeen && write.began().order() <= read.ended().order()) {
                choices.add(i);
            }
        }
        for (int choice : choices) {
            saw[index] = choice;
            if (hasExplanation(saw, index + 1)) {
                return true;
            }
        }
        return false;
    }

    /** Gives each operation a place; equal places are the same version. */
    private boolean hasOrder(int[] saw, int[] places, int index) {
        if (index == operations.size()) {
            return true;
        }
        IntPredicate fits =
                place -> {
                    places[index] = place;
                    for (int other = 0; other < index; other++) {
                        if (!fits(saw, places, other, index) || !fits(saw, places, index, other)) {
                            return false;
                        }
                    }
                    return true;
                };
        if (saw[index] == NOTHING) {
            return fits.test(NOTHING) && hasOrder(saw, places, index + 1);
        }
        for (int place = 0; place < places.length; place++) {
            if (fits.test(place) && hasOrder(saw, places, index + 1)) {
                return true;
            }
        }
        return false;
    }

    private boolean fits(int[] saw, int[] places, int i, int j) {
        Operation first = operations.get(i);
        Operation second = operations.get(j);
        boolean isFirstWrite = first.action().isWrite();
        boolean isSecondWrite = second.action().isWrite();
        if (saw[i] != saw[j] && places[i] == places[j]) {
            return false;
        }
        if (isFirstWrite && saw[j] == i && places[j] > places[i]) {
            return false;
        }
        boolean isOneVersion = promise == Promise.QUORUM && saw[j] == saw[i];
        if (isOneVersion && places[i] != places[j]) {
            return false;
        }
        if (first.ended().order() >= second.began().order() || first.from() != second.from()) {
            return true;
        }
        int majority = first.from() / 2 + 1;
        int settledAt = first.ack();
        if (isFirstWrite) {
            if (!isKnown(first)) {
                return true;
            }
        } else {
            if (promise == Promise.QUORUM || first.ack() < majority) {
                return true;
            }
            settledAt = majority;
        }
        if (settledAt + second.ack() <= first.from() || (isSecondWrite && !isKnown(second))) {
            return true;
        }
        return isSecondWrite ? places[i] < places[j] : places[i] <= places[j];
    }

    private static boolean isKnown(Operation operation) {
        return !(operation.answer() instanceof Answer.Indeterminate);
    }

    private static boolean isAnsweredRead(Operation operation) {
        return operation.answer() instanceof Answer.Value
                || operation.answer() instanceof Answer.Absent;
    }
}
