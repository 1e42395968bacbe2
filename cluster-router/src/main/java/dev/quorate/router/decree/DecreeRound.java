package dev.quorate.router.decree;

import dev.quorate.storage.Timestamp;
import java.util.HashSet;
import java.util.Set;

/**
 * One ballot of a decree, as its proposer sees it. Pure: the caller sends what {@link Step} says to
 * all acceptors, and reports their states. Not thread-safe.
 */
public final class DecreeRound {

    /** What the proposer does next. */
    public enum Step {
        /** Waits for more answers. */
        WAIT,
        /** Proposes {@link #value} to all acceptors. */
        PROPOSE,
        /** Ends: {@link #value} is chosen, for ever. */
        CHOSEN,
        /** Ends: an acceptor has promised a higher ballot. */
        OUTBID
    }

    private final Timestamp ballot;
    private final int needed;
    private final Set<String> answered = new HashSet<>();
    private String value;
    private Timestamp newest = Timestamp.ZERO;
    private boolean isProposed;
    private boolean hasEnded;

    /**
     * @param ballot never used before
     * @param own proposed unless an acceptor has accepted another value
     * @param needed acceptors that must answer: a majority, or more if some may have forgotten
     */
    public DecreeRound(Timestamp ballot, String own, int needed) {
        this.ballot = ballot;
        this.value = own;
        this.needed = needed;
    }

    public Timestamp ballot() {
        return ballot;
    }

    /** The value that this ballot proposes. */
    public String value() {
        return value;
    }

    /** The ballot of {@link #value} if an acceptor has accepted it; otherwise zero. */
    public Timestamp newest() {
        return newest;
    }

    /**
     * Handles an answer.
     *
     * @param acceptor its name
     * @param ofProposal whether it answers the second phase
     * @param state its state after the request
     */
    public Step answered(String acceptor, boolean ofProposal, Decree state) {
        if (hasEnded || ofProposal != isProposed) {
            return Step.WAIT;
        }
        if (state.promised().isAfter(ballot)) {
            hasEnded = true;
            return Step.OUTBID;
        }
        if (!isProposed && state.accepted().isAfter(newest)) {
            newest = state.accepted();
            value = state.value();
        }
        if (!answered.add(acceptor) || answered.size() < needed) {
            return Step.WAIT;
        }
        if (isProposed) {
            hasEnded = true;
            return Step.CHOSEN;
        }
        answered.clear();
        isProposed = true;
        return Step.PROPOSE;
    }
}
