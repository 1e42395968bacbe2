package dev.quorate.testkit;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;

/**
 * One run of a node's process. The sockets, disk and timers of the process check it: they wait
 * while the process is paused, and do nothing after its end.
 */
final class Life {

    private enum State {
        RUNNING,
        PAUSED,
        OVER
    }

    private final Executor deliveries;

    /** Written under the monitor, which also guards {@code waiting}. */
    private volatile State state = State.RUNNING;

    private final List<Runnable> waiting = new ArrayList<>();

    /**
     * @param deliveries a thread that only this node uses; runs tasks deferred by a pause
     */
    Life(Executor deliveries) {
        this.deliveries = deliveries;
    }

    boolean isOver() {
        return state == State.OVER;
    }

    /** Blocks a thread of the node while the process is paused. Returns false after its end. */
    boolean pass() {
        if (state == State.PAUSED) {
            await();
        }
        return state != State.OVER;
    }

    private synchronized void await() {
        while (state == State.PAUSED) {
            try {
                wait();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return;
            }
        }
    }

    /** Runs a task at once, or after a pause; drops it after the end. Never blocks. */
    void whenRunning(Runnable task) {
        synchronized (this) {
            if (state == State.PAUSED) {
                waiting.add(task);
                return;
            }
        }
        if (state != State.OVER) {
            task.run();
        }
    }

    synchronized void pause() {
        if (state == State.RUNNING) {
            state = State.PAUSED;
        }
    }

    synchronized void resume() {
        if (state == State.PAUSED) {
            state = State.RUNNING;
            for (Runnable task : waiting) {
                deliveries.execute(() -> whenRunning(task));
            }
            waiting.clear();
            notifyAll();
        }
    }

    synchronized void end() {
        state = State.OVER;
        waiting.clear();
        notifyAll();
    }
}
