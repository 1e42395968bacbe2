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
 * The machine's clocks, one thread for all timers of a client, and threads on which timers and
 * answers are handled, so that what a user's continuation does delays neither. All are daemons.
 */
final class SystemEffects implements Effects {

    private final ScheduledThreadPoolExecutor timers;
    private final ExecutorService threads;

    SystemEffects() {
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

    @Override
    public Executor threads() {
        return threads;
    }

    @Override
    public long nanos() {
        return System.nanoTime();
    }

    @Override
    public long millis() {
        return System.currentTimeMillis();
    }

    @Override
    public long random() {
        return ThreadLocalRandom.current().nextLong();
    }

    @Override
    public Timer after(long nanos, Runnable task) {
        ScheduledFuture<?> scheduled =
                timers.schedule(() -> threads.execute(task), nanos, TimeUnit.NANOSECONDS);
        return () -> scheduled.cancel(false);
    }

    @Override
    public void end() {
        timers.shutdown();
    }
}
