package dev.quorate.node.health;

import dev.quorate.node.clock.Ticker;
import java.util.random.RandomGenerator;

/**
 * Decides whether a peer is asked at all.
 *
 * <pre>
 *            K failures in a row, or a refusal
 *   CLOSED ─────────────────────────────────────► OPEN ◄──────────┐
 *     ▲                                            │ backoff over  │ the probe fails:
 *     │                                            ▼               │ backoff doubles
 *     └──────────────── an exchange succeeds ── PROBING ───────────┘
 * </pre>
 *
 * <p>While it is not closed, operations fail at once instead of waiting for a peer that is gone.
 * Only a probe, an exchange without operations, finds out whether it is back: no client pays for
 * that. The backoff is drawn between half and the whole of its length, so that the nodes that lost
 * the same peer do not come back to it in step.
 *
 * <p>Pure but for the time and the randomness it is given. Safe for use by many threads.
 */
public final class Breaker {

    /** Where it stands. */
    public enum State {
        CLOSED,
        OPEN,
        PROBING
    }

    private final BreakerOptions options;
    private final Ticker ticker;
    private final RandomGenerator random;

    private volatile State state = State.CLOSED;

    /** Failures in a row. Guarded by {@code this}, as are the next two. */
    private int failures;

    private long backoffNanos;
    private long probeAtNanos;

    public Breaker(BreakerOptions options, Ticker ticker, RandomGenerator random) {
        this.options = options;
        this.ticker = ticker;
        this.random = random;
    }

    public State state() {
        return state;
    }

    /** Whether operations may be sent. */
    public boolean isClosed() {
        return state == State.CLOSED;
    }

    /** An exchange, or a probe, was answered. */
    public synchronized void succeeded() {
        failures = 0;
        backoffNanos = 0;
        state = State.CLOSED;
    }

    /** An exchange, or a probe, was not answered. */
    public synchronized void failed() {
        switch (state) {
            case CLOSED -> {
                if (++failures >= options.failuresToOpen()) {
                    open();
                }
            }
            case PROBING -> open();
            case OPEN -> {} // an exchange that was sent before it opened
        }
    }

    /** The peer answered that it will not deal with this node: no need to count. */
    public synchronized void refused() {
        if (state != State.OPEN) {
            open();
        }
    }

    private void open() {
        state = State.OPEN;
        backoffNanos =
                backoffNanos == 0
                        ? options.firstBackoff().toNanos()
                        : Math.min(2 * backoffNanos, options.maxBackoff().toNanos());
        long half = backoffNanos / 2;
        probeAtNanos = ticker.nanos() + half + random.nextLong(backoffNanos - half + 1);
    }

    /** The peer was heard from, though it was not asked: the next probe need not wait. */
    public synchronized void heard() {
        if (state == State.OPEN) {
            probeAtNanos = ticker.nanos();
        }
    }

    /**
     * Whether the caller is to send a probe now. True once for each backoff; the caller then owes a
     * {@link #succeeded}, {@link #failed} or {@link #refused}.
     */
    public synchronized boolean takeProbe() {
        if (state != State.OPEN || ticker.nanos() - probeAtNanos < 0) {
            return false;
        }
        state = State.PROBING;
        return true;
    }
}
