package dev.quorate.node.coordinator;

import dev.quorate.node.coordinator.Explanation.Purpose;
import dev.quorate.node.coordinator.Explanation.Round;
import dev.quorate.node.message.ReplicaAnswer;
import dev.quorate.node.message.ReplicaAnswer.Failed;
import dev.quorate.node.message.ReplicaAnswer.Failure;
import dev.quorate.node.message.ReplicaAnswer.Stored;
import dev.quorate.node.message.ReplicaRequest;
import dev.quorate.node.replica.Replica;
import dev.quorate.router.quorum.Decision;
import dev.quorate.router.quorum.QuorumSpec;
import dev.quorate.router.quorum.QuorumTracker;
import dev.quorate.router.topology.Member;
import dev.quorate.storage.Entry;
import dev.quorate.storage.Timestamp;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One entry on its way to its replicas: one round of a write. Its lock guards every field that
 * changes; nothing is called under it.
 *
 * <p>A round that can no longer reach its quorum ends when every replica that was asked has
 * answered, not at once: only then can the client be told who has the entry. That takes no longer
 * than the deadline.
 *
 * <p>A replica that has failed by the time the client is told "written", or fails afterwards, has
 * missed the write. It is a failure all the same: whoever keeps the write for it does not vote.
 */
final class WriteOperation {

    private final Coordinator coordinator;
    private final QuorumSpec spec;
    private final Replica[] replicas;
    private final ReplicaRequest.Write write;
    private final Entry entry;
    private final long deadlineNanos;

    /** How often this write may still be stamped anew; 0 if the client gave the timestamp. */
    private final int restamps;

    /** Whether replicas have stored it under an earlier timestamp. */
    private final boolean storedBefore;

    private final OutcomeCallback callback;
    private final QuorumTracker tracker;
    private final Trace trace;

    /** What replicas were asked before this round, by this operation. */
    private final List<Round> earlier;

    /** The newest timestamp that a replica whose acknowledgement counts holds for the key. */
    private Timestamp newest;

    /** While replicas are still being asked, a failure is not final. */
    private boolean asking = true;

    private int answers;

    /** Whether this round has ended with the write being acknowledged. */
    private boolean written;

    /**
     * A round of its own, or the first of a write that may be stamped anew.
     *
     * @param restamps how often it may be
     * @param earlier what replicas were asked before by this operation, where that is known
     * @param begunNanos when it began, in {@code Ticker.nanos} time
     */
    WriteOperation(
            Coordinator coordinator,
            QuorumSpec spec,
            Replica[] replicas,
            ReplicaRequest.Write write,
            long begunNanos,
            long deadlineNanos,
            int restamps,
            List<Round> earlier,
            OutcomeCallback callback) {
        this(
                coordinator,
                spec,
                replicas,
                write,
                begunNanos,
                deadlineNanos,
                restamps,
                false,
                earlier,
                callback);
    }

    private WriteOperation(
            Coordinator coordinator,
            QuorumSpec spec,
            Replica[] replicas,
            ReplicaRequest.Write write,
            long begunNanos,
            long deadlineNanos,
            int restamps,
            boolean storedBefore,
            List<Round> earlier,
            OutcomeCallback callback) {
        this.coordinator = coordinator;
        this.spec = spec;
        this.replicas = replicas;
        this.write = write;
        this.entry = write.entry();
        this.deadlineNanos = deadlineNanos;
        this.restamps = restamps;
        this.storedBefore = storedBefore;
        this.earlier = earlier;
        this.callback = callback;
        this.tracker = new QuorumTracker(spec);
        this.trace = new Trace(replicas, begunNanos);
        this.newest = write.entry().timestamp();
    }

    /** Asks every replica, unless those asked so far have made the quorum impossible. */
    void start() {
        for (int i = 0; i < replicas.length && mayAskOneMore(); i++) {
            int index = i;
            replicas[i].ask(write, deadlineNanos, answer -> answered(index, answer));
        }
        Outcome outcome = allAsked();
        if (outcome != null) {
            finish(outcome);
        }
    }

    private void finish(Outcome outcome) {
        Explanation explanation = null;
        if (outcome instanceof Outcome.QuorumFailed failed) {
            explanation = failed.explanation();
        } else if (outcome instanceof Outcome.TooOld tooOld) {
            explanation = tooOld.explanation();
        } else if (outcome instanceof Outcome.VersionTaken taken) {
            explanation = taken.explanation();
        } else if (callback.isExplained()) {
            explanation = explanation(null);
        }
        coordinator.writeFinished(outcome, callback, explanation);
    }

    private synchronized Explanation explanation(@Nullable String whyNotStampedAnew) {
        List<Round> rounds = rounds();
        boolean isGivenVersion = write.origin() == ReplicaRequest.Origin.GIVEN;
        List<String> reasons =
                Reasons.ofWrite(spec, rounds, isGivenVersion, hinted(), whyNotStampedAnew);
        return new Explanation(reasons, rounds);
    }

    private synchronized List<Round> roundsSoFar() {
        return rounds();
    }

    private List<Round> rounds() {
        List<Round> rounds = new ArrayList<>(earlier);
        rounds.add(trace.round(Purpose.WRITE, entry.timestamp()));
        return rounds;
    }

    /** The replicas that have failed already, and get the write later. */
    private List<String> hinted() {
        List<String> hinted = new ArrayList<>();
        for (int i = 0; written && i < replicas.length; i++) {
            Member member = replicas[i].member();
            if (isSet(tracker.failedMask(), i)
                    && coordinator.missedWrites().isKept(member, entry)) {
                hinted.add(member.name());
            }
        }
        return hinted;
    }

    private synchronized boolean mayAskOneMore() {
        if (tracker.outcome() == Decision.UNREACHABLE) {
            return false;
        }
        trace.ask();
        return true;
    }

    private synchronized @Nullable Outcome allAsked() {
        asking = false;
        return failedForGood() ? unreachable() : null;
    }

    private void answered(int index, ReplicaAnswer answer) {
        boolean reached;
        boolean missed;
        Outcome failure = null;
        long nowNanos = coordinator.nanos();
        synchronized (this) {
            if (tracker.answered(index)) {
                return;
            }
            answers++;
            trace.answered(index, answer, nowNanos);
            reached = count(index, answer) == Decision.REACHED;
            missed = written && isSet(tracker.failedMask(), index);
            if (!reached && failedForGood()) {
                failure = unreachable();
            }
        }
        if (failure != null) {
            finish(failure);
        } else if (reached) {
            reached();
        } else if (missed) {
            coordinator.missedWrites().missed(replicas[index].member(), entry);
        }
    }

    private Decision count(int index, ReplicaAnswer answer) {
        return switch (answer) {
            case Stored stored -> {
                if (tracker.outcome() == Decision.PENDING && stored.newest().isAfter(newest)) {
                    newest = stored.newest();
                }
                yield tracker.succeeded(index);
            }
            case ReplicaAnswer other -> failed(index, other.failure());
        };
    }

    private Decision failed(int index, Failed failed) {
        trace.replaced(index, failed);
        return tracker.failed(index);
    }

    /** True once: when the last answer of a round that cannot succeed is in. */
    private boolean failedForGood() {
        return tracker.outcome() == Decision.UNREACHABLE && !asking && answers == trace.asked();
    }

    private void reached() {
        Timestamp seen;
        boolean superseded;
        long failed;
        synchronized (this) {
            seen = newest;
            superseded = restamps > 0 && seen.isAfter(entry.timestamp());
            written = !superseded;
            failed = tracker.failedMask();
            trace.askAll(); // those who are left are asked in a moment
        }
        if (superseded) {
            coordinator.restamp(this, seen);
            return;
        }
        finish(new Outcome.Written(entry.timestamp()));
        for (int i = 0; failed != 0 && i < replicas.length; i++) {
            if (isSet(failed, i)) {
                coordinator.missedWrites().missed(replicas[i].member(), entry);
            }
        }
    }

    private static boolean isSet(long mask, int index) {
        return (mask & 1L << index) != 0;
    }

    /** The same write with a later timestamp; it lives as long, counted from that. */
    WriteOperation stampedAnew(Timestamp timestamp) {
        Entry later;
        if (entry.isTombstone()) {
            later = Entry.tombstone(entry.key(), timestamp, entry.from());
        } else if (entry.expiresAtMillis() == Entry.NEVER) {
            later = Entry.value(entry.key(), timestamp, entry.value(), entry.from());
        } else {
            long livesMillis = entry.expiresAtMillis() - entry.timestamp().wallMillis();
            long expiresAtMillis = timestamp.wallMillis() + livesMillis;
            later =
                    Entry.expiring(
                            entry.key(), timestamp, entry.value(), entry.from(), expiresAtMillis);
        }
        return new WriteOperation(
                coordinator,
                spec,
                replicas,
                new ReplicaRequest.Write(later),
                coordinator.nanos(),
                deadlineNanos,
                restamps - 1,
                true,
                roundsSoFar(),
                callback);
    }

    /** It reached its quorum, but under a timestamp that some of it holds to be old. */
    void finishSuperseded(String why) {
        List<Outcome.ReplicaFailure> all;
        List<String> accepted;
        synchronized (this) {
            accepted = accepted();
            all = trace.failures();
        }
        all.add(
                new Outcome.ReplicaFailure(
                        coordinator.memberName(), Failure.FAILED, "not the newest entry: " + why));
        finish(new Outcome.QuorumFailed(entry.timestamp(), accepted, all, explanation(why)));
    }

    private Outcome unreachable() {
        List<String> accepted = accepted();
        boolean nothingStored = accepted.isEmpty() && !trace.isIndeterminate() && !storedBefore;
        if (nothingStored && trace.isVersionTaken()) {
            return new Outcome.VersionTaken(entry.timestamp(), explanation(null));
        }
        if (nothingStored && trace.isTooOld()) {
            return new Outcome.TooOld(entry.timestamp(), explanation(null));
        }
        String shortage = nothingStored ? trace.shortage(spec) : null;
        if (shortage != null) {
            return Coordinator.refusal(shortage);
        }
        List<Outcome.ReplicaFailure> failures = trace.failures();
        for (int i = trace.asked(); i < replicas.length; i++) {
            failures.add(
                    new Outcome.ReplicaFailure(
                            replicas[i].member().name(),
                            Failure.NOT_ASKED,
                            "the others had made the quorum impossible"));
        }
        return new Outcome.QuorumFailed(entry.timestamp(), accepted, failures, explanation(null));
    }

    private List<String> accepted() {
        List<String> accepted = new ArrayList<>();
        for (int i = 0; i < replicas.length; i++) {
            if (isSet(tracker.succeededMask(), i)) {
                accepted.add(replicas[i].member().name());
            }
        }
        return accepted;
    }
}
