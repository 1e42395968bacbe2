package dev.quorate.router.runtime;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;

/** Runs short tasks later. Tasks must not block. Injected, like {@link Ticker}. */
public interface Scheduler {

    /** Runs {@code task} once, {@code delay} from now, unless cancelled before. */
    Cancellable after(Duration delay, Runnable task);

    /** Runs {@code task} every {@code period}, first one period from now, until cancelled. */
    Cancellable every(Duration period, Runnable task);

    /**
     * Runs {@code task} again and again until cancelled, {@code busy} after it returned true and
     * {@code idle} after it returned false, so that an idle node sleeps.
     */
    default Cancellable repeatedly(BooleanSupplier task, Duration busy, Duration idle) {
        AtomicBoolean isOver = new AtomicBoolean();
        var _ =
                after(
                        busy,
                        new Runnable() {
                            @Override
                            public void run() {
                                if (!isOver.get()) {
                                    boolean isBusy = true;
                                    try {
                                        isBusy = task.getAsBoolean();
                                    } finally {
                                        var _ = after(isBusy ? busy : idle, this);
                                    }
                                }
                            }
                        });
        return () -> isOver.set(true);
    }

    interface Cancellable {
        void cancel();
    }
}
