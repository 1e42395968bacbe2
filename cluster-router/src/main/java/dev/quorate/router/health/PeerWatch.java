package dev.quorate.router.health;

import dev.quorate.router.message.PeerStanding;
import dev.quorate.router.runtime.EventLog;
import dev.quorate.router.runtime.Ticker;
import java.util.HashSet;
import java.util.Set;

/** The observed state of one peer, and its breaker. Reports changes, not exchanges. Thread-safe. */
public final class PeerWatch {

    /** Maximum number of events about one peer while it is down. */
    private static final int MAX_REASONS = 8;

    private final String member;
    private final Breaker breaker;
    private final Ticker ticker;
    private final EventLog events;

    /** Reasons in events since the peer was last up. Guarded by this. */
    private final Set<String> reasons = new HashSet<>();

    /** Written under the lock of {@code this}, like the fields below. */
    private volatile PeerStanding standing = PeerStanding.UNKNOWN;

    private String standingReason = "";
    private volatile long sinceMillis;
    private volatile String lastError = "";
    private volatile long answeredAtNanos;

    public PeerWatch(String member, Breaker breaker, Ticker ticker, EventLog events) {
        this.member = member;
        this.breaker = breaker;
        this.ticker = ticker;
        this.events = events;
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

    /** Whether the caller must probe now; see {@link Breaker#takeProbe}. */
    public boolean takeProbe() {
        return breaker.takeProbe();
    }

    /** Nanoseconds since the peer's last answer, or since this was created. */
    public long quietNanos() {
        return ticker.nanos() - answeredAtNanos;
    }

    /** Notes an unrequested message from the peer: if the breaker is open, it may be probed. */
    public void onMessage() {
        if (breaker.isInDoubt()) {
            breaker.onMessage();
        }
    }

    /** Notes that an exchange was answered. */
    public void answered() {
        boolean changed;
        String after = "";
        synchronized (this) {
            answeredAtNanos = ticker.nanos();
            breaker.succeeded();
            if (standing == PeerStanding.DOWN || standing == PeerStanding.REFUSED) {
                after = " again, after " + EventLog.span(ticker.wallMillis() - sinceMillis);
            }
            changed = change(PeerStanding.UP, "");
            if (changed) {
                reasons.clear();
            }
        }
        if (changed) {
            events.info(member + " is up" + after);
        }
    }

    /** Notes that an exchange failed in transit. */
    public void failed(String why) {
        failed(why, breaker::failed);
    }

    /** Notes that an exchange was not answered in time. */
    public void recordTimeout(String why) {
        failed(why, breaker::recordTimeout);
    }

    /** Notes that no process listens at the peer's address. */
    public void unreachable(String why) {
        failed(why, breaker::refused);
    }

    private void failed(String why, Runnable evidence) {
        boolean changed = false;
        synchronized (this) {
            evidence.run();
            lastError = why;
            if (!breaker.isClosed()) {
                // A peer that did not listen yet may later be refused for its certificate.
                boolean isNew = reasons.size() < MAX_REASONS && reasons.add(why);
                changed = change(PeerStanding.DOWN, why) || isNew;
            }
        }
        if (changed) {
            events.warn(member + " is down: " + why);
        }
    }

    /** Notes that the peer refused an exchange, or that its answer must be refused. */
    public void refused(String why) {
        boolean changed;
        synchronized (this) {
            answeredAtNanos = ticker.nanos();
            breaker.refused();
            changed = change(PeerStanding.REFUSED, why);
        }
        if (changed) {
            events.error(member + " and this node refuse each other: " + why);
        }
    }

    /** Returns whether this is a change: a new standing, or a refusal for another reason. */
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

    /** The start of this standing, in milliseconds since 1970. */
    public long sinceMillis() {
        return sinceMillis;
    }

    /** The reason of the last failed exchange; empty if none failed. */
    public String lastError() {
        return lastError;
    }
}
