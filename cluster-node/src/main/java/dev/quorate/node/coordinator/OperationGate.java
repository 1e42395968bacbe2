package dev.quorate.node.coordinator;

import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Lets the operations of one kind in, as many as can be done in time, and counts their ends. */
final class OperationGate implements Ending {

    private static final Logger LOG = LoggerFactory.getLogger(OperationGate.class);
    private static final Outcome.Refused TOO_MUCH =
            Outcome.Refused.forNow("more is under way than can be done in time");

    /** Of so many writes that were refused for their version one is logged: clients choose it. */
    private static final int TAKEN_PER_LOG_LINE = 1_000;

    private final Admission admission;
    private final OperationCounters counters;
    private volatile boolean draining;

    OperationGate(int maxOutstanding, Duration timeout, OperationCounters counters) {
        this.admission = new Admission(maxOutstanding, timeout);
        this.counters = counters;
    }

    /** Takes one more operation under way, which has to end here; or refuses it. */
    boolean admits(OutcomeCallback callback) {
        if (!admission.tryBegin()) {
            counters.refused.increment();
            callback.completed(TOO_MUCH);
            return false;
        }
        if (draining) {
            refuse("stopping", callback);
            return false;
        }
        return true;
    }

    /** An operation that was let in is over, and has asked nobody. */
    void refuse(String reason, OutcomeCallback callback) {
        ended(Outcome.Refused.forNow(reason), callback, null);
    }

    @Override
    public void ended(
            Outcome outcome, OutcomeCallback callback, @Nullable Explanation explanation) {
        admission.end();
        switch (outcome) {
            case Outcome.QuorumFailed failed ->
                    (failed.timestamp() == null
                                    ? counters.readQuorumFailures
                                    : counters.writeQuorumFailures)
                            .increment();
            case Outcome.Refused refusal -> counters.refused.increment();
            case Outcome.VersionTaken taken -> noteTaken(taken);
            case Outcome.Found found -> {}
            case Outcome.Missing missing -> {}
            case Outcome.Written written -> {}
            case Outcome.TooOld tooOld -> {}
            case Outcome.TooFarAhead ahead -> {}
        }
        NONE.ended(outcome, callback, explanation);
    }

    /** An operation that no client asked for is over, and counts as no failure of one. */
    void endedQuietly(
            Outcome outcome, OutcomeCallback callback, @Nullable Explanation explanation) {
        admission.end();
        callback.completed(outcome);
    }

    private void noteTaken(Outcome.VersionTaken taken) {
        counters.versionsTaken.increment();
        if (counters.versionsTaken.sum() % TAKEN_PER_LOG_LINE == 1) {
            LOG.warn(
                    "The version {} was sent with two different writes: one is refused",
                    taken.timestamp());
        }
    }

    /** Whether one more would be refused now, which is counted as if it had been. */
    boolean refusesNow() {
        boolean refuses = !admission.hasRoom();
        if (refuses) {
            counters.refused.increment();
        }
        return refuses;
    }

    /** From now on, refuses what is new. What is under way goes on. */
    void drain() {
        draining = true;
    }

    /** To be called every {@link Admission#TICK}, by one thread at a time. */
    void tick() {
        admission.tick();
    }

    int underway() {
        return admission.underway();
    }

    int limit() {
        return admission.limit();
    }
}
