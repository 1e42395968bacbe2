package dev.quorate.router.health;

import dev.quorate.router.runtime.Ticker;
import java.util.random.RandomGenerator;

/**
 * A circuit breaker: decides whether operations are sent to a peer.
 *
 * <pre>
 *            evidence: see below
 *   CLOSED ─────────────────────────────────────► OPEN ◄──────────┐
 *     ▲                                            │ backoff over  │ the probe fails:
 *     │                                            ▼               │ backoff doubles
 *     └──────────────── an exchange succeeds ── PROBING ───────────┘
 * </pre>
 *
 * <p>The evidence decides when it opens. A refused connection, or a peer that refuses this node,
 * opens it at once. Other failures, such as a reset connection, open it after K in a row, as one
 * connection may end by itself. Late answers are the weakest evidence: the peer, or this node, may
 * be starved. K late answers open it if nothing has arrived from the peer since the first of them,
 * and for a while; {@link #LATE_PER_FAILURE} times K in a row open it in any case, as when the
 * network is cut in one direction.
 *
 * <p>While the breaker is not closed, operations fail at once instead of waiting for a dead peer.
 * Only probes, which are exchanges without operations, detect its return: no client waits for them.
 * One exception: a peer that was only late, and not for long, {@linkplain #isSuspected may be
 * alive}; operations that cannot succeed without it are sent. The backoff is random between half
 * and all of its length, so that the nodes that lost the same peer do not probe it in step.
 *
 * <p>Pure except for time and randomness, which are injected. Thread-safe.
 */
public final class Breaker {

    public enum State {
        CLOSED,
        OPEN,
        PROBING
    }

    /** Failed exchanges in a row that usually open it. */
    public static final int USUAL_FAILURES = 3;

    /** How long a peer must be silent for late answers to count: a slow peer is not dead. */
    private static final long SILENCE_NANOS = 1_000_000_000;

    /**
     * How long operations that cannot succeed without it are still sent to a silent, late peer.
     * Longer: they wait for their deadlines if it is dead. Shorter: they fail if it is only slow.
     */
    private static final long SUSPICION_NANOS = 10_000_000_000L;

    /** The time from opening to the first probe; each failed probe doubles it. */
    private static final long FIRST_BACKOFF_NANOS = 100_000_000;

    private static final long MAX_BACKOFF_NANOS = 2_000_000_000;

    private final int failuresToOpen;
    private final Ticker ticker;
    private final RandomGenerator random;

    private volatile State state = State.CLOSED;

    /** Number of late answers that count as one failure. */
    static final int LATE_PER_FAILURE = 4;

    /**
     * Failures in a row, other than late answers. Guarded by {@code this}, like the fields below.
     */
    private int failures;

    /** Late answers in a row, with no other failure. */
    private int late;

    /** Late answers since anything arrived from the peer; written under the lock. */
    private volatile int silentLate;

    private volatile long silentSinceNanos;

    /** Whether it is open only because of late answers. */
    private volatile boolean isOpenForLateness;

    private long backoffNanos;
    private long probeAtNanos;

    /**
     * @param failuresToOpen failed exchanges in a row that open it. Lower: a peer that drops one
     *     connection is avoided for a moment. Higher: more operations wait for a dead peer
     */
    public Breaker(int failuresToOpen, Ticker ticker, RandomGenerator random) {
        this.failuresToOpen = failuresToOpen;
        this.ticker = ticker;
        this.random = random;
    }

    /** Whether {@link #onMessage} would have an effect. */
    boolean isInDoubt() {
        return silentLate > 0 || state != State.CLOSED;
    }

    /** Whether operations may be sent. */
    public boolean isClosed() {
        return state == State.CLOSED;
    }

    /** Whether it is not closed, but the peer may be alive: the peer is only known to be slow. */
    public boolean isSuspected() {
        return state != State.CLOSED
                && isOpenForLateness
                && ticker.nanos() - silentSinceNanos < SUSPICION_NANOS;
    }

    /** Notes that an exchange, or a probe, was answered. */
    public synchronized void succeeded() {
        failures = 0;
        late = 0;
        silentLate = 0;
        backoffNanos = 0;
        state = State.CLOSED;
    }

    /** Notes that an exchange, or a probe, was not answered in time. */
    public synchronized void recordTimeout() {
        switch (state) {
            case CLOSED -> {
                late++;
                if (silentLate++ == 0) {
                    silentSinceNanos = ticker.nanos();
                }
                long silentNanos = ticker.nanos() - silentSinceNanos;
                boolean isSilent = silentLate >= failuresToOpen && silentNanos >= SILENCE_NANOS;
                if (isSilent || late >= (long) LATE_PER_FAILURE * failuresToOpen) {
                    isOpenForLateness = true;
                    open();
                }
            }
            case PROBING -> open();
            case OPEN -> {} // an exchange that was sent before it opened
        }
    }

    /** Notes that an exchange, or a probe, failed in transit. */
    public synchronized void failed() {
        switch (state) {
            case CLOSED -> {
                if (++failures >= failuresToOpen) {
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

    /** Notes that the peer refused this node, or its machine the connection: opens at once. */
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
                        ? FIRST_BACKOFF_NANOS
                        : Math.min(2 * backoffNanos, MAX_BACKOFF_NANOS);
        long half = backoffNanos / 2;
        probeAtNanos = ticker.nanos() + half + random.nextLong(backoffNanos - half + 1);
    }

    /** Notes an unrequested message from the peer: the next probe need not wait. */
    public synchronized void onMessage() {
        silentLate = 0;
        silentSinceNanos = ticker.nanos();
        if (state == State.OPEN) {
            probeAtNanos = silentSinceNanos;
        }
    }

    /**
     * Whether the caller must send a probe now. True once for each backoff; the caller must then
     * report the outcome, for example by {@link #succeeded} or {@link #failed}.
     */
    public synchronized boolean takeProbe() {
        if (state != State.OPEN || ticker.nanos() - probeAtNanos < 0) {
            return false;
        }
        state = State.PROBING;
        return true;
    }
}
