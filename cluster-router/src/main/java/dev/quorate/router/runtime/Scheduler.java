package dev.quorate.router.runtime;

import java.time.Duration;

/** Runs short tasks later. Tasks must not block. Injected, like {@link Ticker}. */
public interface Scheduler {

    /** Runs {@code task} once, {@code delay} from now, unless cancelled before. */
    Cancellable after(Duration delay, Runnable task);

    /** Runs {@code task} every {@code period}, first one period from now, until cancelled. */
    Cancellable every(Duration period, Runnable task);

    interface Cancellable {
        void cancel();
    }
}
