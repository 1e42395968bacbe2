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
 * Where a store's work runs. The store asks for nothing but that what is given gets run some time:
 * it works on threads of its own, and as well on one thread, or in place.
 *
 * @param log writes and forces the log; wants a thread of its own
 * @param completion makes writes visible and calls their completions
 * @param background flushes, compacts, prepares segments; wants two threads or more, so that a
 *     flush need not wait for a compaction
 * @param delays the passing of time
 * @param release called when the store is closed
 * @param needHelp whether all this may have no thread but the one that waits for it. Else no
 *     caller's thread writes files: an interrupt in the middle of that would close them
 */
public record StoreExecutors(
        Executor log,
        Executor completion,
        Executor background,
        Delays delays,
        Runnable release,
        boolean needHelp) {

    private static final int BACKGROUND_THREADS = 3;
    private static final long IDLE_SECONDS = 10;

    /** Executors that may have no thread of their own. */
    public StoreExecutors(
            Executor log,
            Executor completion,
            Executor background,
            Delays delays,
            Runnable release) {
        this(log, completion, background, delays, release, true);
    }

    /** Daemon threads, whose names begin with {@code name}; they end when the store is closed. */
    public static StoreExecutors threads(String name) {
        ThreadPoolExecutor log = pool(name + "-log", 1);
        ThreadPoolExecutor completion = pool(name + "-completion", 1);
        ThreadPoolExecutor background = pool(name + "-background", BACKGROUND_THREADS);
        background.allowCoreThreadTimeOut(true);
        ScheduledThreadPoolExecutor timer =
                new ScheduledThreadPoolExecutor(1, daemons(name + "-timer"));
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
                false);
    }

    /**
     * Everything in place, on the thread that asks for it: for tests and tools.
     *
     * @param delays what is to happen later; the store needs it for {@code ASYNC} durability, and
     *     to look again whether a full disk has space
     */
    public static StoreExecutors inPlace(Delays delays) {
        return new StoreExecutors(Runnable::run, Runnable::run, Runnable::run, delays, () -> {});
    }

    @SuppressWarnings("FutureReturnValueIgnored") // A delayed task reports its failures itself.
    private static void after(ScheduledThreadPoolExecutor timer, long millis, Runnable task) {
        if (!timer.isShutdown()) {
            timer.schedule(task, millis, TimeUnit.MILLISECONDS);
        }
    }

    private static ThreadPoolExecutor pool(String name, int threads) {
        ThreadPoolExecutor pool =
                new ThreadPoolExecutor(
                        threads,
                        threads,
                        IDLE_SECONDS,
                        TimeUnit.SECONDS,
                        new LinkedBlockingQueue<>(),
                        daemons(name));
        // A task that comes after the end of the store has nothing left to do.
        pool.setRejectedExecutionHandler(new ThreadPoolExecutor.DiscardPolicy());
        return pool;
    }

    private static ThreadFactory daemons(String name) {
        AtomicInteger made = new AtomicInteger();
        return task -> {
            Thread thread = new Thread(task, name + "-" + made.incrementAndGet());
            thread.setDaemon(true);
            return thread;
        };
    }
}
