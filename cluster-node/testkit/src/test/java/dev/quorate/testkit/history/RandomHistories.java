package dev.quorate.testkit.history;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** Small histories of one key, drawn without any store behind them: many are wrong. */
final class RandomHistories {

    private static final int[][] MIXED = {{1, 1}, {1, 3}, {2, 3}, {2, 3}, {3, 3}, {2, 2}};

    private final Random random;
    private final boolean isMixed;
    private final boolean hasDeletes;

    RandomHistories(Random random, boolean isMixed, boolean hasDeletes) {
        this.random = random;
        this.isMixed = isMixed;
        this.hasDeletes = hasDeletes;
    }

    History next(int maxOperations) {
        int count = 2 + random.nextInt(maxOperations - 1);
        int writes = 1 + random.nextInt(count - 1);
        int span = 1 + random.nextInt(12);
        List<String> values = new ArrayList<>();
        List<Operation> operations = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            int[] spec = isMixed ? MIXED[random.nextInt(MIXED.length)] : new int[] {2, 3};
            long began = random.nextInt(3 * count);
            long ended = began + random.nextInt(span);
            Action action = i < writes ? write(i, values) : new Action.Get();
            operations.add(
                    new Operation(
                            i,
                            "k",
                            action,
                            spec[0],
                            spec[1],
                            new Moment(began, 1000 * began),
                            new Moment(ended, 1000 * ended),
                            answer(action, values)));
        }
        return new History(operations);
    }

    private Action write(int index, List<String> values) {
        if (hasDeletes && random.nextInt(3) == 0) {
            return new Action.Delete();
        }
        values.add("v" + index);
        return new Action.Put("v" + index);
    }

    private Answer answer(Action action, List<String> values) {
        int die = random.nextInt(20);
        if (die == 0) {
            return new Answer.Refused("503");
        }
        if (die < 4) {
            return new Answer.Indeterminate("504");
        }
        return switch (action) {
            case Action.Put(_) -> new Answer.Stored("");
            case Action.Delete() -> new Answer.Deleted("");
            case Action.Get() -> {
                int choice = random.nextInt(values.size() + (hasDeletes ? 2 : 1));
                yield choice < values.size()
                        ? new Answer.Value(values.get(choice), "")
                        : new Answer.Absent();
            }
        };
    }
}
