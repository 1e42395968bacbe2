package dev.quorate.testkit;

import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** The thread that delivers late messages to a machine, named after it. */
final class Deliveries implements Executor, AutoCloseable {

    private final ScheduledThreadPoolExecutor thread;

    Deliveries(String name) {
        thread =
                new ScheduledThreadPoolExecutor(
                        1,
                        Thread.ofPlatform().name(name + "-deliveries").daemon().factory(),
                        new ThreadPoolExecutor.DiscardPolicy()); // What is late never arrives.
        thread.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
    }

    /** Runs a task after a delay; without a delay, on the calling thread. */
    @SuppressWarnings("FutureReturnValueIgnored") // A delivery reports its failures itself.
    void after(Duration delay, Runnable task) {
        if (delay.isZero()) {
            task.run();
            return;
        }
        thread.schedule(task, delay.toNanos(), TimeUnit.NANOSECONDS);
    }

    @Override
    public void execute(Runnable task) {
        thread.execute(task);
    }

    @Override
    public void close() {
        thread.shutdownNow();
    }
}
