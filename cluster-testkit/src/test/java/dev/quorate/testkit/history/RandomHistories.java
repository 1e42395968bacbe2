package dev.quorate.testkit.history;

import dev.quorate.testkit.history.Operation.Moment;
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
        int span = 1 + random.nextInt(6);
        List<Operation> operations = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            int[] spec = isMixed ? MIXED[random.nextInt(MIXED.length)] : new int[] {2, 3};
            long began = random.nextInt(3 * count);
            long ended = began + random.nextInt(span);
            Action action = i < writes ? write(i) : new Action.Get();
            operations.add(
                    new Operation(
                            i,
                            "k",
                            action,
                            spec[0],
                            spec[1],
                            new Moment(began, 1000 * began),
                            new Moment(ended, 1000 * ended),
                            answer(action, operations, ended)));
        }
        return new History(operations);
    }

    private Action write(int index) {
        return hasDeletes && random.nextInt(5) < 2
                ? new Action.Delete()
                : new Action.Put("v" + index);
    }

    private Answer answer(Action action, List<Operation> writes, long ended) {
        int die = random.nextInt(20);
        if (die == 0) {
            return new Answer.Refused("503");
        }
        if (die < 4) {
            return new Answer.Indeterminate("504");
        }
        return switch (action) {
            case Action.Put(_, _) -> new Answer.Stored("");
            case Action.Delete(_) -> new Answer.Deleted("");
            case Action.Get() -> read(writes, ended);
        };
    }

    /** Mostly of what was begun by then: a value from nowhere hides what else is wrong. */
    private Answer read(List<Operation> operations, long ended) {
        boolean isAny = random.nextInt(40) == 0;
        List<Answer> answers = new ArrayList<>();
        answers.add(new Answer.Absent());
        for (Operation operation : operations) {
            boolean isBegun = operation.began().order() <= ended;
            boolean isDone = !(operation.answer() instanceof Answer.Refused);
            if (operation.action() instanceof Action.Put(String value, _)
                    && (isAny || (isBegun && isDone))) {
                answers.add(new Answer.Value(value, ""));
            }
        }
        if (hasDeletes && random.nextBoolean()) {
            answers.add(new Answer.Absent());
        }
        return answers.get(random.nextInt(answers.size()));
    }
}
