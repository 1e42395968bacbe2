package dev.quorate.node.antientropy;

import dev.quorate.node.clock.Scheduler;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs tasks one after the other on the threads of an executor that others use too: one of them at
 * a time, and anew in its queue for each task, so that nobody waits for more than one of these.
 * Where the executor has too much to do, they wait.
 */
public final class Serial implements Executor {

    private static final Logger LOG = LoggerFactory.getLogger(Serial.class);
    private static final Duration LATER = Duration.ofMillis(50);

    private final Executor executor;
    private final Scheduler scheduler;
    private final int mostTasks;

    /** The lock of this guards what follows, and is not held while a task runs. */
    private final Deque<Runnable> tasks = new ArrayDeque<>();

    private boolean running;

    /**
     * @param executor may reject
     * @param mostTasks further ones that wait are rejected
     */
    public Serial(Executor executor, Scheduler scheduler, int mostTasks) {
        this.executor = executor;
        this.mostTasks = mostTasks;
        this.scheduler = scheduler;
    }

    /**
     * @throws RejectedExecutionException if too many wait
     */
    @Override
    public void execute(Runnable task) {
        synchronized (this) {
            if (tasks.size() >= mostTasks) {
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
            LOG.error("A repair has failed", e); // a bug
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
