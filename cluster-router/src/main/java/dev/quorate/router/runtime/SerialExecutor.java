package dev.quorate.router.runtime;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs tasks one after the other on the threads of a shared executor. Each task is submitted by
 * itself, so that other work waits for one task at most. If the executor rejects a task, it is
 * submitted again later.
 */
public final class SerialExecutor implements Executor {

    private static final Logger LOG = LoggerFactory.getLogger(SerialExecutor.class);
    private static final Duration LATER = Duration.ofMillis(50);

    private final Executor executor;
    private final Scheduler scheduler;
    private final int maxTasks;

    /** The lock of {@code this} guards all fields, and is not held while a task runs. */
    private final Deque<Runnable> tasks = new ArrayDeque<>();

    private boolean running;

    /**
     * @param executor may reject
     * @param maxTasks the maximum number of waiting tasks; further ones are rejected
     */
    public SerialExecutor(Executor executor, Scheduler scheduler, int maxTasks) {
        this.executor = executor;
        this.maxTasks = maxTasks;
        this.scheduler = scheduler;
    }

    /**
     * @throws RejectedExecutionException if too many wait
     */
    @Override
    public void execute(Runnable task) {
        synchronized (this) {
            if (tasks.size() >= maxTasks) {
                throw new RejectedExecutionException("too many tasks");
            }
            tasks.add(task);
            if (running) {
                return;
            }
            running = true;
        }
        submit();
    }

    private void submit() {
        try {
            executor.execute(this::runOne);
        } catch (RejectedExecutionException tooBusy) {
            scheduler.after(LATER, this::submit);
        }
    }

    private void runOne() {
        Runnable task = poll();
        if (task == null) {
            return;
        }
        try {
            task.run();
        } catch (RuntimeException e) {
            LOG.error("A background task has failed", e); // a bug
        }
        synchronized (this) {
            if (tasks.isEmpty()) {
                running = false;
                return;
            }
        }
        submit();
    }

    private synchronized @Nullable Runnable poll() {
        return tasks.poll();
    }
}
