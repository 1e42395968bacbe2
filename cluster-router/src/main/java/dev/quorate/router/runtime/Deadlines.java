package dev.quorate.router.runtime;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * Watches operations with deadlines, and expires them.
 *
 * <p>With one timer for each operation, each would take the scheduler's lock twice, to schedule and
 * to cancel, though hardly any expires. Here watching is one lock-free append; a sweep every {@link
 * #PERIOD} drops complete operations and expires late ones, as long as there are any: an idle node
 * wakes no thread for it. So an operation may expire one period late.
 */
public final class Deadlines {

    /** Time between two sweeps. */
    public static final Duration PERIOD = Duration.ofMillis(10);

    public interface Expiring {

        /** Whether the operation need not be watched any more. */
        boolean isComplete();

        /** In {@link Ticker#nanos} time. */
        long deadlineNanos();

        /**
         * Called after the deadline, perhaps during or after completion: the first wins. Must not
         * block or throw.
         */
        void expire();
    }

    private final Ticker ticker;
    private final Scheduler scheduler;

    /** Whether a sweep will come. */
    private final AtomicBoolean isDue = new AtomicBoolean();

    private final ConcurrentLinkedQueue<Expiring> added = new ConcurrentLinkedQueue<>();

    /** Operations left by earlier sweeps. Guarded by {@code this}. */
    private final List<Expiring> watched = new ArrayList<>();

    public Deadlines(Ticker ticker, Scheduler scheduler) {
        this.ticker = ticker;
        this.scheduler = scheduler;
    }

    public void watch(Expiring expiring) {
        added.add(expiring);
        sweepLater();
    }

    private void sweepLater() {
        if (!isDue.get() && isDue.compareAndSet(false, true)) {
            var _ = scheduler.after(PERIOD, this::sweep);
        }
    }

    private void sweep() {
        isDue.set(false); // what is added from here on has a sweep of its own
        removeExpired().forEach(Expiring::expire);
    }

    private synchronized List<Expiring> removeExpired() {
        @Nullable Expiring next;
        while ((next = added.poll()) != null) {
            watched.add(next);
        }
        if (watched.isEmpty()) {
            return List.of();
        }
        long now = ticker.nanos();
        List<Expiring> late = new ArrayList<>();
        watched.removeIf(
                expiring -> {
                    if (expiring.isComplete()) {
                        return true;
                    }
                    boolean expired = now - expiring.deadlineNanos() >= 0;
                    if (expired) {
                        late.add(expiring);
                    }
                    return expired;
                });
        if (!watched.isEmpty()) {
            sweepLater();
        }
        return late;
    }
}
