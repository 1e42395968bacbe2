package dev.quorate.node.health;

import dev.quorate.node.runtime.Ticker;
import java.util.HashSet;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The observed state of one peer, and its breaker. Logs changes, not exchanges. Thread-safe. */
public final class PeerWatch {

    private static final Logger LOG = LoggerFactory.getLogger(PeerWatch.class);

    /** A peer that is down is not reason for more lines than this. */
    private static final int MAX_LOGGED_REASONS = 8;

    private final String member;
    private final Breaker breaker;
    private final Ticker ticker;

    /** Why it is down, as the log says. Guarded by this. */
    private final Set<String> loggedReasons = new HashSet<>();

    /** Written under the lock of {@code this}, like all that follows. */
    private volatile PeerStanding standing = PeerStanding.UNKNOWN;

    private String standingReason = "";
    private volatile long sinceMillis;
    private volatile String lastError = "";
    private volatile long answeredAtNanos;

    public PeerWatch(String member, Breaker breaker, Ticker ticker) {
        this.member = member;
        this.breaker = breaker;
        this.ticker = ticker;
        this.answeredAtNanos = ticker.nanos();
    }

    /** Whether operations may be sent. */
    public boolean mayAsk() {
        return breaker.isClosed();
    }

    /** See {@link Breaker#isSuspected}. */
    public boolean isSuspected() {
        return breaker.isSuspected();
    }

    /** Whether the caller is to probe now; see {@link Breaker#takeProbe}. */
    public boolean takeProbe() {
        return breaker.takeProbe();
    }

    /** Nanoseconds since its last answer, or since this was created. */
    public long quietNanos() {
        return ticker.nanos() - answeredAtNanos;
    }

    /** Something came from the peer without a request: if the breaker is open, it may be probed. */
    public void heard() {
        if (breaker.isInDoubt()) {
            breaker.heard();
        }
    }

    /** An exchange was answered. */
    public void answered() {
        boolean changed;
        synchronized (this) {
            answeredAtNanos = ticker.nanos();
            breaker.succeeded();
            changed = change(PeerStanding.UP, "");
            if (changed) {
                loggedReasons.clear();
            }
        }
        if (changed) {
            LOG.info("Peer {} is up", member);
        }
    }

    /** An exchange failed on the way. */
    public void failed(String why) {
        failed(why, breaker::failed);
    }

    /** An exchange was not answered in time. */
    public void late(String why) {
        failed(why, breaker::late);
    }

    /** No process listens at the peer's address. */
    public void unreachable(String why) {
        failed(why, breaker::unreachable);
    }

    private void failed(String why, Runnable evidence) {
        boolean changed = false;
        synchronized (this) {
            evidence.run();
            lastError = why;
            if (!breaker.isClosed()) {
                boolean isNew = isNewReason(why);
                changed = change(PeerStanding.DOWN, why) || isNew;
            }
        }
        if (changed) {
            LOG.warn("Peer {} is down: {}", member, why);
        }
    }

    /**
     * Whether the peer was not down for that reason since it was up: one that did not listen yet
     * may be refused, once it does, for its certificate.
     */
    private boolean isNewReason(String why) {
        return loggedReasons.size() < MAX_LOGGED_REASONS && loggedReasons.add(why);
    }

    /** The peer refused an exchange, or its answer must be refused. */
    public void refused(String why) {
        boolean changed;
        synchronized (this) {
            answeredAtNanos = ticker.nanos();
            breaker.refused();
            changed = change(PeerStanding.REFUSED, why);
        }
        if (changed) {
            LOG.error("Peer {} and this node refuse each other: {}", member, why);
        }
    }

    /** Whether this is a change: a new standing, or a refusal for another reason. */
    private boolean change(PeerStanding to, String why) {
        boolean changed =
                standing != to || (to == PeerStanding.REFUSED && !why.equals(standingReason));
        standingReason = why;
        if (!why.isEmpty()) {
            lastError = why;
        }
        if (standing != to) {
            standing = to;
            sinceMillis = ticker.wallMillis();
        }
        return changed;
    }

    public PeerStanding standing() {
        return standing;
    }

    /** Since when it has this standing, in milliseconds since 1970. */
    public long sinceMillis() {
        return sinceMillis;
    }

    /** Why the last failed exchange failed; empty if none did. */
    public String lastError() {
        return lastError;
    }
}
