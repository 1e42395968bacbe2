package dev.quorate.node.runtime;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.jspecify.annotations.Nullable;

/**
 * Watches what has a deadline, and tells it when the deadline has passed.
 *
 * <p>One timer for each operation would put every operation twice through the scheduler's lock, to
 * schedule and to cancel, though hardly any expires. Here watching is one lock-free append; a sweep
 * every {@link #PERIOD} drops what is complete and expires what is late. The price: a deadline is
 * noticed up to that much late.
 */
public final class Deadlines implements AutoCloseable {

    /** Time between two sweeps. */
    public static final Duration PERIOD = Duration.ofMillis(10);

    /** Something that should be complete in time. */
    public interface Expiring {

        /** Whether nothing is awaited any more. */
        boolean isComplete();

        /** In {@link Ticker#nanos} time. */
        long deadlineNanos();

        /**
         * The deadline has passed. May come while, or after, it is being settled: whoever comes
         * first wins. Must not block or throw.
         */
        void expire();
    }

    private final Ticker ticker;
    private final Scheduler.Cancellable sweeps;
    private final ConcurrentLinkedQueue<Expiring> added = new ConcurrentLinkedQueue<>();

    /** What earlier sweeps have seen and left. Guarded by {@code this}. */
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

    /** Stops watching: what is still watched is forgotten. */
    @Override
    public void close() {
        sweeps.cancel();
    }
}
