package dev.quorate.testkit.history;

import dev.quorate.testkit.history.Operation.Moment;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/**
 * Small histories of one key with conditional writes, all of which take effect at one instant;
 * then, in half of them, one thing is changed: most of these are wrong.
 */
final class RandomConditions {

    private final Random random;
    private final boolean hasDeletes;

    RandomConditions(Random random, boolean hasDeletes) {
        this.random = random;
        this.hasDeletes = hasDeletes;
    }

    History next(int maxOperations) {
        int count = 2 + random.nextInt(maxOperations - 1);
        List<Operation> operations = new ArrayList<>();
        List<String> values = new ArrayList<>();
        String state = null;
        for (int i = 0; i < count; i++) {
            Action action = action(i, values);
            boolean isRefused = !holds(action.condition(), state);
            Answer answer =
                    switch (action) {
                        case Action.Get() -> answer(state);
                        case Action.Put(String value, _) ->
                                isRefused
                                        ? new Answer.Unmet(version(state))
                                        : new Answer.Stored(version(value));
                        case Action.Delete(_) ->
                                isRefused
                                        ? new Answer.Unmet(version(state))
                                        : new Answer.Deleted("");
                    };
            if (action.isWrite() && !isRefused) {
                state = action instanceof Action.Put(String value, _) ? value : null;
            }
            if (random.nextInt(6) == 0) {
                answer = new Answer.Indeterminate("504");
            }
            long instant = 4L * i;
            operations.add(operation(i, action, instant, answer));
            if (action instanceof Action.Put(String value, _)) {
                values.add(value);
            }
        }
        if (random.nextBoolean()) {
            change(operations, values);
        }
        return new History(operations);
    }

    private Operation operation(int client, Action action, long instant, Answer answer) {
        long began = Math.max(0, instant - random.nextInt(10));
        long ended = instant + random.nextInt(10);
        return operation(client, action, began, ended, answer);
    }

    private static Operation operation(
            int client, Action action, long began, long ended, Answer answer) {
        return new Operation(
                client,
                "k",
                action,
                2,
                3,
                new Moment(began, 1000 * began),
                new Moment(ended, 1000 * ended),
                answer);
    }

    private Action action(int index, List<String> values) {
        int die = random.nextInt(10);
        if (die < 3) {
            return new Action.Get();
        }
        HistoryCondition condition =
                switch (random.nextInt(6)) {
                    case 0 -> HistoryCondition.NONE;
                    case 1 -> new HistoryCondition.Absent();
                    default ->
                            values.isEmpty()
                                    ? new HistoryCondition.Absent()
                                    : new HistoryCondition.Is(
                                            values.get(
                                                    Math.max(
                                                            0,
                                                            values.size()
                                                                    - 1
                                                                    - random.nextInt(2))));
                };
        return hasDeletes && die == 9
                ? new Action.Delete(condition)
                : new Action.Put("v" + index, condition);
    }

    private void change(List<Operation> operations, List<String> values) {
        int index = random.nextInt(operations.size());
        Operation old = operations.get(index);
        Action action = old.action();
        String other = values.isEmpty() ? null : values.get(random.nextInt(values.size()));
        Answer answer =
                switch (action) {
                    case Action.Get() -> answer(other);
                    case Action.Put(String value, HistoryCondition condition) ->
                            condition.equals(HistoryCondition.NONE) || random.nextBoolean()
                                    ? new Answer.Stored(version(value))
                                    : new Answer.Unmet(version(other));
                    case Action.Delete(HistoryCondition condition) ->
                            condition.equals(HistoryCondition.NONE) || random.nextBoolean()
                                    ? new Answer.Deleted("")
                                    : new Answer.Unmet(version(other));
                };
        operations.set(
                index,
                operation(old.client(), action, old.began().order(), old.ended().order(), answer));
    }

    private static boolean holds(HistoryCondition condition, @Nullable String state) {
        return switch (condition) {
            case HistoryCondition.None() -> true;
            case HistoryCondition.Is(String value) -> value.equals(state);
            case HistoryCondition.Present() -> state != null;
            case HistoryCondition.Absent() -> state == null;
        };
    }

    private static Answer answer(@Nullable String state) {
        return state == null ? new Answer.Absent() : new Answer.Value(state, version(state));
    }

    private static String version(@Nullable String value) {
        return value == null ? "" : "of " + value;
    }
}
