package dev.quorate.router.quorum;

import java.util.Objects;

/**
 * Counts the answers to one operation and says, once, when it is decided.
 *
 * <p>{@link Decision#REACHED} or {@link Decision#UNREACHABLE} comes back from exactly one call, the
 * one whose answer decided it. Every later call gets {@link Decision#SETTLED}, so that whoever gets
 * the transition may answer the client without a flag of its own. {@link #outcome} gives the state
 * at any time.
 *
 * <p>The first answer of a replica counts; what it says again is ignored. Since each replica
 * answers at most once, an operation whose replicas have all answered is always decided.
 *
 * <p>A value machine without a lock: the owner of the operation guards it. The words are those of
 * Cassandra's Accord.
 */
public final class QuorumTracker {

    private final int ack;
    private final int from;
    private long succeeded;
    private long failed;
    private Decision outcome = Decision.PENDING;

    public QuorumTracker(QuorumSpec spec) {
        this.ack = spec.ack();
        this.from = spec.from();
    }

    /**
     * The replica did what was asked.
     *
     * @param replicaIndex its place among the operation's replicas, 0 to {@code from} − 1
     */
    public Decision succeeded(int replicaIndex) {
        long bit = bitOf(replicaIndex);
        if (((succeeded | failed) & bit) == 0) {
            succeeded |= bit;
        }
        return decide();
    }

    /**
     * The replica did not do it, or did not answer in time.
     *
     * @param replicaIndex its place among the operation's replicas, 0 to {@code from} − 1
     */
    public Decision failed(int replicaIndex) {
        long bit = bitOf(replicaIndex);
        if (((succeeded | failed) & bit) == 0) {
            failed |= bit;
        }
        return decide();
    }

    private long bitOf(int replicaIndex) {
        return 1L << Objects.checkIndex(replicaIndex, from);
    }

    private Decision decide() {
        if (outcome != Decision.PENDING) {
            return Decision.SETTLED;
        }
        if (Long.bitCount(succeeded) >= ack) {
            outcome = Decision.REACHED;
        } else if (from - Long.bitCount(failed) < ack) {
            outcome = Decision.UNREACHABLE;
        }
        return outcome;
    }

    /**
     * The state: {@code PENDING}, {@code REACHED} or {@code UNREACHABLE}, never {@code SETTLED}.
     */
    public Decision outcome() {
        return outcome;
    }

    /** Bit i is set if replica i succeeded, also after the decision. */
    public long succeededMask() {
        return succeeded;
    }

    /** Bit i is set if replica i failed, also after the decision. */
    public long failedMask() {
        return failed;
    }

    /** Whether that replica has answered. */
    public boolean answered(int replicaIndex) {
        return ((succeeded | failed) & bitOf(replicaIndex)) != 0;
    }

    /** Whether every replica has answered, so that nothing more will come. */
    public boolean allAnswered() {
        return Long.bitCount(succeeded | failed) == from;
    }

    @Override
    public String toString() {
        return outcome
                + " ("
                + Long.bitCount(succeeded)
                + " succeeded, "
                + Long.bitCount(failed)
                + " failed, "
                + ack
                + "/"
                + from
                + " needed)";
    }
}
