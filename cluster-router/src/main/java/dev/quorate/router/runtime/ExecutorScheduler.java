package dev.quorate.router.runtime;

import java.time.Duration;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs scheduled tasks on one thread of its own.
 *
 * <p>An exception in a task is a bug and is logged. A repeated task continues: a timer that stops
 * silently would disable every deadline of the node.
 */
public final class ExecutorScheduler implements Scheduler, AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(ExecutorScheduler.class);

    private final ScheduledThreadPoolExecutor executor;

    public ExecutorScheduler(String name) {
        executor =
                new ScheduledThreadPoolExecutor(
                        1, Thread.ofPlatform().name(name).daemon().factory());
        executor.setRemoveOnCancelPolicy(true);
        executor.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
    }

    @Override
    public Cancellable after(Duration delay, Runnable task) {
        return cancellable(
                () -> executor.schedule(guarded(task), delay.toNanos(), TimeUnit.NANOSECONDS));
    }

    /**
     * {@inheritDoc}
     *
     * <p>With a fixed delay, a machine that was suspended does not run the missed rounds at once.
     */
    @Override
    public Cancellable every(Duration period, Runnable task) {
        long nanos = period.toNanos();
        return cancellable(
                () ->
                        executor.scheduleWithFixedDelay(
                                guarded(task), nanos, nanos, TimeUnit.NANOSECONDS));
    }

    private static Cancellable cancellable(Supplier<Future<?>> scheduling) {
        try {
            Future<?> future = scheduling.get();
            return () -> future.cancel(false);
        } catch (RejectedExecutionException closed) {
            return () -> {};
        }
    }

    private static Runnable guarded(Runnable task) {
        return () -> {
            try {
                task.run();
            } catch (RuntimeException e) {
                LOG.error("A scheduled task failed", e);
            }
        };
    }

    /** Stops: tasks that have not begun will not run. */
    @Override
    public void close() {
        executor.shutdown();
    }
}
