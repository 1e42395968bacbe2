package dev.quorate.node.health;

import dev.quorate.node.runtime.Ticker;
import java.util.random.RandomGenerator;

/**
 * Decides whether a peer is asked at all.
 *
 * <pre>
 *            evidence: see below
 *   CLOSED ─────────────────────────────────────► OPEN ◄──────────┐
 *     ▲                                            │ backoff over  │ the probe fails:
 *     │                                            ▼               │ backoff doubles
 *     └──────────────── an exchange succeeds ── PROBING ───────────┘
 * </pre>
 *
 * <p>What opens it depends on the evidence. A connection that is refused, or a peer that refuses
 * this node, does at once. Of other failures, such as a connection that is reset, K in a row do, as
 * one connection may end by itself. Answers that do not come in time say least: the peer, or this
 * node, may be starved. K of them in a row count if nothing at all was heard of the peer since the
 * first of them, and for a while; {@link #LATE_PER_FAILURE} times K of them do in any case, as
 * where the way is cut in one direction.
 *
 * <p>While it is not closed, operations fail at once instead of waiting for a peer that is gone.
 * Only a probe, an exchange without operations, finds out whether it is back: no client pays for
 * that. One exception: a peer that was only late, and not for long, {@linkplain #isSuspected may be
 * alive}; operations that cannot succeed without it are sent. The backoff is drawn between half and
 * the whole of its length, so that the nodes that lost the same peer do not come back to it in
 * step.
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

    /** This many answers that are late are as much evidence as one that failed. */
    static final int LATE_PER_FAILURE = 4;

    /** Failures in a row that are no late answers. Guarded by {@code this}, as is all below. */
    private int failures;

    /** Late answers in a row, with no other failure. */
    private int late;

    /** Late answers since the peer was heard of last; written under the lock. */
    private volatile int silentLate;

    private volatile long silentSinceNanos;

    /** Whether it is open because of late answers, and nothing worse came since. */
    private volatile boolean isOpenForLateness;

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

    /** Whether it is worth saying that the peer was {@link #heard}. */
    boolean isInDoubt() {
        return silentLate > 0 || state != State.CLOSED;
    }

    /** Whether operations may be sent. */
    public boolean isClosed() {
        return state == State.CLOSED;
    }

    /**
     * Whether it is not closed, but the peer may be alive: what it has shown is that it is slow.
     */
    public boolean isSuspected() {
        return state != State.CLOSED
                && isOpenForLateness
                && ticker.nanos() - silentSinceNanos < options.suspicion().toNanos();
    }

    /** An exchange, or a probe, was answered. */
    public synchronized void succeeded() {
        failures = 0;
        late = 0;
        silentLate = 0;
        backoffNanos = 0;
        state = State.CLOSED;
    }

    /** The peer's machine takes no connection: there is no process to wait for. */
    public synchronized void unreachable() {
        isOpenForLateness = false;
        if (state != State.OPEN) {
            open();
        }
    }

    /** An exchange, or a probe, was not answered in time. */
    public synchronized void late() {
        switch (state) {
            case CLOSED -> {
                late++;
                if (silentLate++ == 0) {
                    silentSinceNanos = ticker.nanos();
                }
                long silentNanos = ticker.nanos() - silentSinceNanos;
                boolean isSilent =
                        silentLate >= options.failuresToOpen()
                                && silentNanos >= options.silenceToOpen().toNanos();
                if (isSilent || late >= (long) LATE_PER_FAILURE * options.failuresToOpen()) {
                    isOpenForLateness = true;
                    open();
                }
            }
            case PROBING -> open();
            case OPEN -> {} // an exchange that was sent before it opened
        }
    }

    /** An exchange, or a probe, failed on its way. */
    public synchronized void failed() {
        switch (state) {
            case CLOSED -> {
                if (++failures >= options.failuresToOpen()) {
                    isOpenForLateness = false;
                    open();
                }
            }
            case PROBING -> {
                isOpenForLateness = false;
                open();
            }
            case OPEN -> isOpenForLateness = false; // an exchange that was sent before it opened
        }
    }

    /** The peer answered that it will not deal with this node: no need to count. */
    public synchronized void refused() {
        isOpenForLateness = false;
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
        silentLate = 0;
        silentSinceNanos = ticker.nanos();
        if (state == State.OPEN) {
            probeAtNanos = silentSinceNanos;
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
