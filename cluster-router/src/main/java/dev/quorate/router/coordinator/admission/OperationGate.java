package dev.quorate.router.coordinator.admission;

import dev.quorate.router.coordinator.operation.Ending;
import dev.quorate.router.coordinator.operation.Explanation;
import dev.quorate.router.coordinator.operation.OperationCounters;
import dev.quorate.router.coordinator.operation.Outcome;
import dev.quorate.router.coordinator.operation.OutcomeCallback;
import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Admits the operations of one kind, as many as can complete in time, and counts their outcomes.
 */
public final class OperationGate implements Ending {

    private static final Logger LOG = LoggerFactory.getLogger(OperationGate.class);

    /** One in this many version conflicts is logged, because clients choose versions. */
    private static final int TAKEN_PER_LOG_LINE = 1_000;

    private final Admission admission;
    private final OperationCounters counters;
    private volatile boolean draining;

    /** Work that waits until an operation would be admitted, in the order of arrival. */
    private final Queue<Runnable> waiting = new ConcurrentLinkedQueue<>();

    public OperationGate(int maxOutstanding, Duration timeout, OperationCounters counters) {
        this.admission = new Admission(maxOutstanding, timeout);
        this.counters = counters;
    }

    /** Admits an operation, which must end here; or refuses it. */
    public boolean admits(OutcomeCallback callback) {
        if (!admission.tryBegin()) {
            counters.refused.increment();
            callback.completed(Outcome.Refused.OVERLOAD);
            return false;
        }
        if (draining) {
            refuse("stopping", callback);
            return false;
        }
        return true;
    }

    /** Ends an admitted operation that has asked no replica. */
    public void refuse(String reason, OutcomeCallback callback) {
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
            case Outcome.NotJudged _, Outcome.Undecided _ ->
                    counters.writeQuorumFailures.increment();
            case Outcome.Found _,
                    Outcome.Missing _,
                    Outcome.Written _,
                    Outcome.TooOld _,
                    Outcome.TooFarAhead _,
                    Outcome.TooLong _,
                    Outcome.Unmet _ -> {}
        }
        NONE.ended(outcome, callback, explanation);
    }

    /** Ends an operation that no client sent: its failure is not counted as a client's. */
    public void endedQuietly(
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

    /** Whether an operation would be refused now; if so, it is counted as refused. */
    public boolean refusesNow() {
        boolean refuses = !admission.hasRoom();
        if (refuses) {
            counters.refused.increment();
        }
        return refuses;
    }

    /** Refuses new operations from now on; those in progress continue. */
    public void drain() {
        draining = true;
    }

    /**
     * To be called every {@link Admission#TICK}, by one thread at a time; less often after it has
     * returned false, because nothing was in progress.
     */
    public boolean tick() {
        admission.tick();
        // Only as many as wait now: work that is refused again returns to the queue.
        for (int left = waiting.size(); left > 0 && admission.hasRoom(); left--) {
            Runnable next = waiting.poll();
            if (next != null) {
                next.run();
            }
        }
        return underway() > 0 || !waiting.isEmpty();
    }

    /** Runs work at a tick that would admit an operation. The caller limits how much work waits. */
    public void whenRoom(Runnable work) {
        waiting.add(work);
    }

    public int underway() {
        return admission.underway();
    }

    public int limit() {
        return admission.limit();
    }
}
