package dev.quorate.router.runtime;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.jspecify.annotations.Nullable;

/**
 * Watches operations with deadlines, and expires them.
 *
 * <p>One timer for each operation would put every operation twice through the scheduler's lock, to
 * schedule and to cancel, though hardly any expires. Here watching is one lock-free append; a sweep
 * every {@link #PERIOD} drops what is complete and expires what is late. The price: an operation
 * may expire that much late.
 */
public final class Deadlines implements AutoCloseable {

    /** Time between two sweeps. */
    public static final Duration PERIOD = Duration.ofMillis(10);

    /** Something that should be complete in time. */
    public interface Expiring {

        /** Whether it needs no watching any more. */
        boolean isComplete();

        /** In {@link Ticker#nanos} time. */
        long deadlineNanos();

        /**
         * Called after the deadline, perhaps while or after it completes: the first wins. Must not
         * block or throw.
         */
        void expire();
    }

    private final Ticker ticker;
    private final Scheduler.Cancellable sweeps;
    private final ConcurrentLinkedQueue<Expiring> added = new ConcurrentLinkedQueue<>();

    /** Those that earlier sweeps have left. Guarded by {@code this}. */
    private final List<Expiring> watched = new ArrayList<>();

    public Deadlines(Ticker ticker, Scheduler scheduler) {
        this.ticker = ticker;
        this.sweeps = scheduler.every(PERIOD, this::sweep);
    }

    public void watch(Expiring expiring) {
        added.add(expiring);
    }

    private void sweep() {
        for (Expiring late : takeLate()) {
            late.expire();
        }
    }

    private synchronized List<Expiring> takeLate() {
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
        return late;
    }

    /** Stops watching; nothing expires any more. */
    @Override
    public void close() {
        sweeps.cancel();
    }
}
