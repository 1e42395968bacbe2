package dev.quorate.storage.engine;

import dev.quorate.storage.wal.Delays;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The executors of a store. They must run every task eventually, on any number of threads or in
 * place.
 *
 * @param log writes and forces the log; should have a thread of its own
 * @param completion makes writes visible and calls their completions
 * @param background flushes, compacts and prepares segments; should have two threads or more, so
 *     that a flush need not wait for a compaction
 * @param delays runs tasks after a delay
 * @param release called when the store is closed
 * @param callers the tasks of callers' threads
 */
public record StoreExecutors(
        Executor log,
        Executor completion,
        Executor background,
        Delays delays,
        Runnable release,
        Callers callers) {

    /** The tasks of callers' threads. */
    public enum Callers {
        /** A waiting caller runs tasks, because the executors may have no other thread. */
        MUST_RUN,
        /** Callers never use the disk, except for look-ups of entries not in memory. */
        ONLY_SUBMIT
    }

    private static final int BACKGROUND_THREADS = 3;
    private static final long IDLE_SECONDS = 10;

    /** Daemon threads whose names begin with {@code name}; they end when the store is closed. */
    public static StoreExecutors threads(String name) {
        ThreadPoolExecutor log = pool(name + "-log", 1, Thread.NORM_PRIORITY);
        ThreadPoolExecutor completion = pool(name + "-completion", 1, Thread.NORM_PRIORITY);
        // Where Java passes thread priorities to the system, requests run before flushes and
        // compactions.
        ThreadPoolExecutor background =
                pool(name + "-background", BACKGROUND_THREADS, Thread.MIN_PRIORITY);
        background.allowCoreThreadTimeOut(true);
        ScheduledThreadPoolExecutor timer =
                new ScheduledThreadPoolExecutor(1, daemons(name + "-timer", Thread.NORM_PRIORITY));
        timer.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
        return new StoreExecutors(
                log,
                completion,
                background,
                (millis, task) -> after(timer, millis, task),
                () -> {
                    for (ExecutorService each :
                            new ExecutorService[] {timer, log, completion, background}) {
                        each.shutdown();
                    }
                },
                Callers.ONLY_SUBMIT);
    }

    /** A copy with another executor for the log. */
    public StoreExecutors withLog(Executor logExecutor) {
        return new StoreExecutors(logExecutor, completion, background, delays, release, callers);
    }

    /**
     * Runs every task in place, on the calling thread: for tests and tools.
     *
     * @param delays needed for {@code ASYNC} durability and for rechecks of a full disk
     */
    public static StoreExecutors inPlace(Delays delays) {
        Executor caller = Runnable::run;
        return new StoreExecutors(caller, caller, caller, delays, () -> {}, Callers.MUST_RUN);
    }

    @SuppressWarnings("FutureReturnValueIgnored") // A delayed task reports its failures itself.
    private static void after(ScheduledThreadPoolExecutor timer, long millis, Runnable task) {
        if (!timer.isShutdown()) {
            timer.schedule(task, millis, TimeUnit.MILLISECONDS);
        }
    }

    private static ThreadPoolExecutor pool(String name, int threads, int priority) {
        ThreadPoolExecutor pool =
                new ThreadPoolExecutor(
                        threads,
                        threads,
                        IDLE_SECONDS,
                        TimeUnit.SECONDS,
                        new LinkedBlockingQueue<>(),
                        daemons(name, priority));
        // A task submitted after the store is closed has no effect.
        pool.setRejectedExecutionHandler(new ThreadPoolExecutor.DiscardPolicy());
        return pool;
    }

    @SuppressWarnings("ThreadPriorityCheck") // Nothing depends on it: it only divides processors.
    private static ThreadFactory daemons(String name, int priority) {
        AtomicInteger made = new AtomicInteger();
        return task -> {
            Thread thread = new Thread(task, name + "-" + made.incrementAndGet());
            thread.setDaemon(true);
            thread.setPriority(priority);
            return thread;
        };
    }
}
