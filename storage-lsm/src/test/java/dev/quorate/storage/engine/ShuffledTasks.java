package dev.quorate.storage.engine;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/** Executors of one thread, the test's own, which runs what waits when told to, in random order. */
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
                () -> {});
    }

    /** Runs so many of the tasks that wait. */
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

    /** Lets the time pass that delayed tasks wait for; says whether there were any. */
    boolean passTime() {
        boolean any = !delayed.isEmpty();
        waiting.addAll(delayed);
        delayed.clear();
        return any;
    }
}
