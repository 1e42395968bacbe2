package dev.quorate.storage.wal;

import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * A task that runs on an executor, never concurrently with itself. Any number of requests while it
 * is scheduled or running cause one more run. So the consumer of a queue needs no blocked thread,
 * and works unchanged on a thread of its own, on a shared pool, in place, or in a simulation.
 */
public final class SerialTask {

    private enum State {
        IDLE,
        SCHEDULED,
        RUNNING,
        RUNNING_AND_RESCHEDULED,
        STOPPING,
        STOPPED
    }

    private final Executor executor;
    private final Runnable body;
    private final AtomicReference<State> state = new AtomicReference<>(State.IDLE);
    private final CompletableFuture<@Nullable Void> stopped = new CompletableFuture<>();

    /**
     * @param body its exceptions propagate to the executor; later requests run it again
     */
    public SerialTask(Executor executor, Runnable body) {
        this.executor = executor;
        this.body = body;
    }

    /** Ensures at least one run of the body that begins after this call. */
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
                    if (state.compareAndSet(State.RUNNING, State.RUNNING_AND_RESCHEDULED)) {
                        return;
                    }
                }
                case SCHEDULED, RUNNING_AND_RESCHEDULED, STOPPING, STOPPED -> {
                    return;
                }
            }
        }
    }

    /**
     * Runs the body on this thread, unless it is scheduled or running.
     *
     * @return whether it ran
     */
    public boolean runNow() {
        return state.compareAndSet(State.IDLE, State.SCHEDULED) && tryRun();
    }

    /**
     * Runs the body on this thread if it is scheduled and not running. A caller that waits for the
     * task calls this first, in case no other thread exists.
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
                endAndReschedule();
            }
        }
        return true;
    }

    /** Ends the run, unless another was requested meanwhile. */
    private boolean end() {
        while (true) {
            if (state.compareAndSet(State.RUNNING, State.IDLE)) {
                return true;
            }
            if (state.compareAndSet(State.RUNNING_AND_RESCHEDULED, State.RUNNING)) {
                return false;
            }
            if (state.compareAndSet(State.STOPPING, State.STOPPED)) {
                stopped.complete(null);
                return true;
            }
        }
    }

    private void endAndReschedule() {
        boolean rescheduled = false;
        while (!end()) {
            rescheduled = true;
        }
        if (rescheduled) {
            schedule();
        }
    }

    /**
     * Prevents further runs.
     *
     * @return completes when the body is not running
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
                case RUNNING, RUNNING_AND_RESCHEDULED -> {
                    if (state.compareAndSet(seen, State.STOPPING)) {
                        return stopped;
                    }
                }
                case STOPPING, STOPPED -> {
                    return stopped;
                }
            }
        }
    }
}
