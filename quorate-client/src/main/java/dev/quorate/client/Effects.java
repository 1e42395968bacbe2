package dev.quorate.client;

import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

/**
 * The machine's clocks and randomness, one thread for all timers of a client, and threads on which
 * timers and answers are handled, so that what a user's continuation does delays neither. All
 * threads are daemons.
 */
final class Effects {

    private final ScheduledThreadPoolExecutor timers;
    private final ExecutorService threads;

    Effects() {
        this.timers = new ScheduledThreadPoolExecutor(1, daemons("quorate-client-timer"));
        timers.setRemoveOnCancelPolicy(true);
        this.threads = Executors.newCachedThreadPool(daemons("quorate-client"));
    }

    private static ThreadFactory daemons(String name) {
        return task -> {
            Thread thread = new Thread(task, name);
            thread.setDaemon(true);
            return thread;
        };
    }

    /** A monotonic clock, in nanoseconds. */
    long nanos() {
        return System.nanoTime();
    }

    /** The time of day, in milliseconds since 1970. */
    long millis() {
        return System.currentTimeMillis();
    }

    /** 64 random bits. */
    long random() {
        return ThreadLocalRandom.current().nextLong();
    }

    /** On which answers are handled. */
    Executor threads() {
        return threads;
    }

    /**
     * Runs something once, later.
     *
     * @return cancels it, unless it has begun
     * @throws java.util.concurrent.RejectedExecutionException after the end
     */
    Runnable after(long nanos, Runnable task) {
        ScheduledFuture<?> scheduled =
                timers.schedule(() -> threads.execute(task), nanos, TimeUnit.NANOSECONDS);
        return () -> scheduled.cancel(false);
    }

    /** No timers are set from now on; those that are set still fire. */
    void end() {
        timers.shutdown();
    }
}
