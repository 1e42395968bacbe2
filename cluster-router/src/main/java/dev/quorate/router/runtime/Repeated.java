package dev.quorate.router.runtime;

import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Runs a task periodically on an executor, since it may block and timers must not. A round is
 * skipped while the previous one is running, so that rounds do not queue for a slow disk.
 */
public final class Repeated implements AutoCloseable {

    private final Runnable task;
    private final Executor executor;
    private final AtomicBoolean isRunning = new AtomicBoolean();
    private final Scheduler.Cancellable timer;

    /** Begins the first round one period from now. */
    public Repeated(Runnable task, Duration period, Scheduler scheduler, Executor executor) {
        this.task = task;
        this.executor = executor;
        this.timer = scheduler.every(period, this::begin);
    }

    private void begin() {
        if (!isRunning.compareAndSet(false, true)) {
            return;
        }
        try {
            executor.execute(this::run);
        } catch (RejectedExecutionException full) {
            isRunning.set(false);
        }
    }

    private void run() {
        try {
            task.run();
        } finally {
            isRunning.set(false);
        }
    }

    /** Begins no further round. */
    @Override
    public void close() {
        timer.cancel();
    }
}
