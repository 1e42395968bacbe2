package dev.quorate.storage.wal;

import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Work that is asked for often, by anyone, and runs on an executor, never twice at once. However
 * often it is asked for while it waits or runs, it runs once more. So a queue's consumer needs no
 * thread that waits for the queue, and runs the same on a thread of its own, on a shared pool, in
 * place, or in a simulation.
 */
public final class SerialTask {

    private enum State {
        IDLE,
        SCHEDULED,
        RUNNING,
        RUNNING_AND_ASKED_AGAIN,
        RUNNING_FOR_THE_LAST_TIME,
        STOPPED
    }

    private final Executor executor;
    private final Runnable body;
    private final AtomicReference<State> state = new AtomicReference<>(State.IDLE);
    private final CompletableFuture<@Nullable Void> stopped = new CompletableFuture<>();

    /**
     * @param body what it throws goes to the executor, and it runs again when it is asked for
     */
    public SerialTask(Executor executor, Runnable body) {
        this.executor = executor;
        this.body = body;
    }

    /** Sees to it that the body runs after this call, at least once. */
    public void schedule() {
        while (true) {
            State seen = Objects.requireNonNull(state.get());
            switch (seen) {
                case IDLE -> {
                    if (state.compareAndSet(State.IDLE, State.SCHEDULED)) {
                        executor.execute(this::tryRun);
                        return;
                    }
                }
                case RUNNING -> {
                    if (state.compareAndSet(State.RUNNING, State.RUNNING_AND_ASKED_AGAIN)) {
                        return;
                    }
                }
                case SCHEDULED, RUNNING_AND_ASKED_AGAIN, RUNNING_FOR_THE_LAST_TIME, STOPPED -> {
                    return;
                }
            }
        }
    }

    /**
     * Runs the body on this thread, unless it is scheduled or runs.
     *
     * @return whether it ran
     */
    public boolean runNow() {
        return state.compareAndSet(State.IDLE, State.SCHEDULED) && tryRun();
    }

    /**
     * Runs the body on this thread if it is scheduled and not running. Whoever must wait for the
     * task calls this first, so that it gets done even where this is the only thread.
     *
     * @return whether it ran
     */
    public boolean tryRun() {
        if (!state.compareAndSet(State.SCHEDULED, State.RUNNING)) {
            return false;
        }
        boolean ended = false;
        try {
            while (!ended) {
                body.run();
                ended = end();
            }
        } finally {
            if (!ended) {
                endAfterFailure();
            }
        }
        return true;
    }

    /** Ends the run, unless the task was asked for meanwhile. */
    private boolean end() {
        while (true) {
            if (state.compareAndSet(State.RUNNING, State.IDLE)) {
                return true;
            }
            if (state.compareAndSet(State.RUNNING_AND_ASKED_AGAIN, State.RUNNING)) {
                return false;
            }
            if (state.compareAndSet(State.RUNNING_FOR_THE_LAST_TIME, State.STOPPED)) {
                stopped.complete(null);
                return true;
            }
        }
    }

    private void endAfterFailure() {
        boolean asked = false;
        while (!end()) {
            asked = true;
        }
        if (asked) {
            schedule();
        }
    }

    /**
     * Sees to it that the body does not begin again.
     *
     * @return done when it does not run
     */
    public CompletableFuture<@Nullable Void> stop() {
        while (true) {
            State seen = Objects.requireNonNull(state.get());
            switch (seen) {
                case IDLE, SCHEDULED -> {
                    if (state.compareAndSet(seen, State.STOPPED)) {
                        stopped.complete(null);
                        return stopped;
                    }
                }
                case RUNNING, RUNNING_AND_ASKED_AGAIN -> {
                    if (state.compareAndSet(seen, State.RUNNING_FOR_THE_LAST_TIME)) {
                        return stopped;
                    }
                }
                case RUNNING_FOR_THE_LAST_TIME, STOPPED -> {
                    return stopped;
                }
            }
        }
    }
}
