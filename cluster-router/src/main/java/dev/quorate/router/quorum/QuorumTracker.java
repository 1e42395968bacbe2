package dev.quorate.router.quorum;

import java.util.Objects;

/**
 * Counts the answers to one operation and reports, once, when it is decided.
 *
 * <p>{@link Decision#REACHED} or {@link Decision#UNREACHABLE} is returned by exactly one call, the
 * one whose answer decided the operation. Every later call returns {@link Decision#SETTLED}, so the
 * caller that receives the transition can answer the client without a flag of its own. {@link
 * #outcome} returns the current state.
 *
 * <p>Only the first answer of a replica counts. An operation whose replicas have all answered is
 * decided.
 *
 * <p>Not thread-safe: the owner of the operation guards it. The terms are those of Cassandra's
 * Accord.
 */
public final class QuorumTracker {

    private final Electorate electorate;
    private long succeeded;
    private long failed;
    private Decision outcome = Decision.PENDING;

    public QuorumTracker(Electorate electorate) {
        this.electorate = electorate;
    }

    /**
     * Records that a replica succeeded.
     *
     * @param replicaIndex its index in the electorate
     */
    public Decision succeeded(int replicaIndex) {
        succeeded |= bitOf(replicaIndex) & ~failed;
        return decide();
    }

    /**
     * Records that a replica failed or timed out.
     *
     * @param replicaIndex its index in the electorate
     */
    public Decision failed(int replicaIndex) {
        failed |= bitOf(replicaIndex) & ~succeeded;
        return decide();
    }

    private long bitOf(int replicaIndex) {
        return 1L << Objects.checkIndex(replicaIndex, electorate.size());
    }

    private Decision decide() {
        if (outcome != Decision.PENDING) {
            return Decision.SETTLED;
        }
        if (electorate.isQuorum(succeeded)) {
            outcome = Decision.REACHED;
        } else if (electorate.isImpossible(failed)) {
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

    /** Bit i is set if replica i succeeded, before or after the decision. */
    public long succeededMask() {
        return succeeded;
    }

    /** Bit i is set if replica i failed, before or after the decision. */
    public long failedMask() {
        return failed;
    }

    public boolean answered(int replicaIndex) {
        return ((succeeded | failed) & bitOf(replicaIndex)) != 0;
    }

    @Override
    public String toString() {
        return "%s (%s succeeded, %s failed, %s needed)"
                .formatted(outcome, Long.bitCount(succeeded), Long.bitCount(failed), electorate);
    }
}
