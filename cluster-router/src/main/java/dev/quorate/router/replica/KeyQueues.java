package dev.quorate.router.replica;

import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;
import java.util.Queue;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Runs tasks of the same key one after the other, and tasks of different keys concurrently. */
public final class KeyQueues<K> {

    /** Maximum number of tasks that wait for one key. */
    public static final int MAX_WAITING = 1_024;

    /** The tasks that wait for each key that has one in progress. */
    private final Map<K, Queue<Consumer<Runnable>>> waiting = new HashMap<>();

    /**
     * Starts a task as soon as the earlier tasks of its key have ended.
     *
     * @param task may end later and on another thread: it must run its parameter exactly once, when
     *     the next task of the key may start
     * @return false, without any effect, if too many wait
     */
    public boolean add(K name, Consumer<Runnable> task) {
        synchronized (waiting) {
            Queue<Consumer<Runnable>> others = waiting.get(name);
            if (others != null) {
                return others.size() < MAX_WAITING && others.add(task);
            }
            waiting.put(name, new ArrayDeque<>());
        }
        run(name, task);
        return true;
    }

    /** Runs tasks until one does not end on this thread: a loop, so that the stack stays short. */
    private void run(K name, Consumer<Runnable> first) {
        @Nullable Consumer<Runnable> task = first;
        while (task != null) {
            Running running = new Running(name);
            task.accept(running::end);
            task = running.started() ? next(name) : null;
        }
    }

    private @Nullable Consumer<Runnable> next(K name) {
        synchronized (waiting) {
            Queue<Consumer<Runnable>> others = waiting.get(name);
            Consumer<Runnable> next = others == null ? null : others.poll();
            if (next == null) {
                waiting.remove(name);
            }
            return next;
        }
    }

    /** Number of keys that have a task in progress. */
    public int keys() {
        synchronized (waiting) {
            return waiting.size();
        }
    }

    /** A task between its start and its end. */
    private final class Running {

        private final K name;
        private boolean ended;
        private boolean leftToEnd;

        Running(K name) {
            this.name = name;
        }

        /** Whether the task ended before its start returned; if not, its end starts the next. */
        synchronized boolean started() {
            leftToEnd = !ended;
            return ended;
        }

        void end() {
            synchronized (this) {
                if (ended) {
                    throw new IllegalStateException("ended twice");
                }
                ended = true;
                if (!leftToEnd) {
                    return;
                }
            }
            Consumer<Runnable> next = next(name);
            if (next != null) {
                run(name, next);
            }
        }
    }
}
