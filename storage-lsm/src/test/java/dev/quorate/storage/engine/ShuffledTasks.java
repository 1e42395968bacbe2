package dev.quorate.storage.engine;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/** Executors on the test's own thread, which runs waiting tasks in random order on request. */
final class ShuffledTasks {

    private final SplittableRandom random;
    private final List<Runnable> waiting = new ArrayList<>();
    private final List<Runnable> delayed = new ArrayList<>();

    ShuffledTasks(SplittableRandom random) {
        this.random = random;
    }

    StoreExecutors executors() {
        return new StoreExecutors(
                waiting::add,
                waiting::add,
                waiting::add,
                (millis, task) -> delayed.add(task),
                () -> {},
                StoreExecutors.Callers.MUST_RUN);
    }

    /** Runs up to {@code count} waiting tasks. */
    void runSome(int count) {
        for (int i = 0; i < count && !waiting.isEmpty(); i++) {
            waiting.remove(random.nextInt(waiting.size())).run();
        }
    }

    /** Runs tasks until none waits. */
    void runAll() {
        while (!waiting.isEmpty()) {
            runSome(1);
        }
    }

    /** Schedules the delayed tasks; returns whether there were any. */
    boolean passTime() {
        boolean any = !delayed.isEmpty();
        waiting.addAll(delayed);
        delayed.clear();
        return any;
    }
}
