package dev.quorate.testkit.history;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/**
 * A register whose operations take effect at one instant. A write that is given up may do so at any
 * later one, or never.
 */
final class AtomicModel {

    private static final int CLIENTS = 5;

    private final Random random;
    private final Recorder recorder = new Recorder();

    /** What a client has begun; null if nothing. */
    private final @Nullable Step[] steps = new Step[CLIENTS];

    private final List<Action> adrift = new ArrayList<>();
    private @Nullable String value;

    /** An operation, and its answer once it has taken effect. */
    private static final class Step {
        final Action action;
        final Recorder.Call call;
        @Nullable Answer answer;

        Step(Action action, Recorder.Call call) {
            this.action = action;
            this.call = call;
        }
    }

    AtomicModel(Random random) {
        this.random = random;
    }

    History run(int operations) {
        int begun = 0;
        while (begun < operations) {
            int client = random.nextInt(CLIENTS);
            Step step = steps[client];
            if (step == null) {
                begun++;
                int die = random.nextInt(10);
                Action action =
                        die < 5
                                ? new Action.Get()
                                : die < 6 ? new Action.Delete() : new Action.Put("v" + begun);
                steps[client] = new Step(action, recorder.begin(client, "k", action, 2, 3, begun));
            } else if (step.answer == null) {
                if (random.nextInt(20) == 0) {
                    step.call.end(new Answer.Indeterminate("504"), begun);
                    adrift.add(step.action);
                    steps[client] = null;
                } else {
                    step.answer = apply(step.action);
                }
            } else {
                step.call.end(step.answer, begun);
                steps[client] = null;
            }
            if (!adrift.isEmpty() && random.nextInt(30) == 0) {
                apply(adrift.remove(random.nextInt(adrift.size())));
            }
        }
        return recorder.history();
    }

    private Answer apply(Action action) {
        return switch (action) {
            case Action.Get() -> value == null ? new Answer.Absent() : new Answer.Value(value, "");
            case Action.Put(String written, _) -> {
                value = written;
                yield new Answer.Stored("");
            }
            case Action.Delete(_) -> {
                value = null;
                yield new Answer.Deleted("");
            }
        };
    }
}
