package dev.quorate.router.coordinator.readwrite;

import dev.quorate.router.coordinator.operation.AskedReplica;
import dev.quorate.router.coordinator.operation.Explanation;
import dev.quorate.router.coordinator.operation.Explanation.Purpose;
import dev.quorate.router.coordinator.operation.Explanation.Round;
import dev.quorate.router.coordinator.operation.Outcome;
import dev.quorate.router.coordinator.operation.Outcome.ReplicaFailure;
import dev.quorate.router.coordinator.operation.Trace;
import dev.quorate.router.message.ReplicaAnswer;
import dev.quorate.router.message.ReplicaAnswer.Failed;
import dev.quorate.router.message.ReplicaAnswer.Failure;
import dev.quorate.router.message.ReplicaAnswer.Stored;
import dev.quorate.router.message.ReplicaRequest;
import dev.quorate.router.quorum.Decision;
import dev.quorate.router.quorum.Electorate;
import dev.quorate.router.quorum.QuorumTracker;
import dev.quorate.router.replica.Owner;
import dev.quorate.storage.Entry;
import dev.quorate.storage.Timestamp;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Decides one round of a write: which replica to ask next, when the entry is written, which
 * replicas missed it, and whether it needs another round under a later timestamp. Pure: each event
 * returns the next step, and {@link WriteOperation} takes it. Not thread-safe.
 *
 * <p>A round that can no longer reach its quorum does not end at once, but when every replica that
 * was asked has answered, at the deadline at the latest: only then can the client be told which
 * replicas have the entry.
 *
 * <p>A replica that has failed by the time the client is answered, or fails afterwards, has missed
 * the write. A hint for it does not count as an acknowledgement.
 */
public final class WriteRound {

    /** What to do next. */
    sealed interface Step {

        /** Nothing, until a replica answers. */
        enum Wait implements Step {
            WAIT
        }

        /**
         * Ask a replica to store the entry; then take the {@linkplain #next} step.
         *
         * @param isNeeded false if the replicas asked before suffice, unless one fails
         */
        record Ask(int replica, boolean isNeeded) implements Step {}

        /**
         * Answer the client: the entry is written.
         *
         * @param missed bit i is set if replica i has missed it
         */
        record Acknowledge(Outcome.Written outcome, long missed) implements Step {}

        /** Begin another round with a timestamp above {@code newest}, which a replica has. */
        record Restamp(Timestamp newest) implements Step {}

        /** Answer the client: too few replicas have stored it. */
        record Fail(Outcome outcome) implements Step {}

        /** The client has its answer, and a replica has missed the write. */
        record Hint(int replica) implements Step {}
    }

    private final Electorate electorate;
    private final Owner[] replicas;
    private final ReplicaRequest.Write write;
    private final Entry entry;

    /** How often this write may still be restamped; 0 if the client gave the timestamp. */
    private final int restamps;

    /** Whether replicas have stored it under an earlier timestamp. */
    private final boolean wasStoredBefore;

    private final QuorumTracker tracker;
    private final Trace trace;

    private final List<Round> earlier;

    /** The newest timestamp of the key among the replicas whose acknowledgement counts. */
    private Timestamp newest;

    /** The replica to be asked next. */
    private int next;

    /** While replicas are still being asked, a failure is not final. */
    private boolean isAsking = true;

    private int answers;
    private boolean isAcknowledged;

    /**
     * The first round of a write.
     *
     * @param replicas those of the electorate, in the order in which they are asked
     * @param restamps how often it may be restamped
     * @param earlier rounds of the same operation
     * @param begunNanos when it began, in {@code Ticker.nanos} time
     */
    public WriteRound(
            Electorate electorate,
            Owner[] replicas,
            ReplicaRequest.Write write,
            int restamps,
            List<Round> earlier,
            long begunNanos) {
        this(electorate, replicas, write, restamps, false, earlier, begunNanos);
    }

    private WriteRound(
            Electorate electorate,
            Owner[] replicas,
            ReplicaRequest.Write write,
            int restamps,
            boolean wasStoredBefore,
            List<Round> earlier,
            long begunNanos) {
        this.electorate = electorate;
        this.replicas = replicas;
        this.write = write;
        this.entry = write.entry();
        this.restamps = restamps;
        this.wasStoredBefore = wasStoredBefore;
        this.earlier = earlier;
        this.tracker = new QuorumTracker(electorate);
        this.trace = new Trace(replicas, begunNanos, 0);
        this.newest = entry.timestamp();
    }

    // ---- Events.

    /** The first step, and the next one after an {@link Step.Ask} was taken. */
    Step next() {
        if (next < replicas.length && tracker.outcome() != Decision.UNREACHABLE) {
            trace.askUpTo(next + 1);
            long asked = (1L << next) - 1;
            return new Step.Ask(next++, !electorate.isQuorum(asked & ~tracker.failedMask()));
        }
        if (!isAsking) {
            return Step.Wait.WAIT;
        }
        isAsking = false;
        return failedForGood() ? new Step.Fail(unreachable()) : Step.Wait.WAIT;
    }

    /** Notes when the question to a replica left this node; see {@link AskedReplica#leftNanos}. */
    void onSent(int index, long leftNanos) {
        trace.onSent(index, leftNanos);
    }

    /**
     * A replica has answered.
     *
     * @param nowNanos in {@code Ticker.nanos} time
     */
    Step answered(int index, ReplicaAnswer answer, long nowNanos) {
        if (tracker.answered(index)) {
            return Step.Wait.WAIT;
        }
        answers++;
        trace.answered(index, answer, nowNanos);
        if (count(index, answer) == Decision.REACHED) {
            return reached();
        }
        if (failedForGood()) {
            return new Step.Fail(unreachable());
        }
        return isAcknowledged && (tracker.failedMask() & 1L << index) != 0
                ? new Step.Hint(index)
                : Step.Wait.WAIT;
    }

    /**
     * Begins the round that {@link Step.Restamp} asks for: the same write with a later timestamp.
     */
    WriteRound restamped(Timestamp timestamp, long nowNanos) {
        return new WriteRound(
                electorate,
                replicas,
                new ReplicaRequest.Write(stamped(timestamp)),
                restamps - 1,
                true,
                rounds(),
                nowNanos);
    }

    /** Begins a round that repeats this one in another epoch, perhaps among other owners. */
    WriteRound repeated(Electorate others, Owner[] owners, long nowNanos) {
        return new WriteRound(others, owners, write, restamps, true, rounds(), nowNanos);
    }

    /**
     * {@link Step.Restamp} is impossible: the write reached its quorum, but a replica of the quorum
     * has a newer entry.
     *
     * @param member the node that cannot stamp it
     */
    Step notRestamped(String member, String why) {
        List<ReplicaFailure> failures = trace.failures();
        failures.add(new ReplicaFailure(member, Failure.FAILED, "not the newest entry: " + why));
        Explanation explanation = explanation(List.of(), why);
        return new Step.Fail(
                new Outcome.QuorumFailed(entry.timestamp(), accepted(), failures, explanation));
    }

    // ---- What is known.

    ReplicaRequest.Write request() {
        return write;
    }

    Electorate electorate() {
        return electorate;
    }

    /**
     * How the outcome came about.
     *
     * @param hinted the names of the replicas that get a hint
     */
    Explanation explanation(List<String> hinted) {
        return explanation(hinted, null);
    }

    // ---- How it decides.

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

    /** Whether the last answer of a round that cannot succeed has arrived; true once. */
    private boolean failedForGood() {
        return tracker.outcome() == Decision.UNREACHABLE && !isAsking && answers == trace.asked();
    }

    private Step reached() {
        trace.askAll(); // the remaining ones are asked in a moment
        if (restamps > 0 && newest.isAfter(entry.timestamp())) {
            return new Step.Restamp(newest);
        }
        isAcknowledged = true;
        return new Step.Acknowledge(new Outcome.Written(entry.timestamp()), tracker.failedMask());
    }

    /** The same entry with a later timestamp, from which its time to live counts. */
    private Entry stamped(Timestamp timestamp) {
        if (entry.isTombstone()) {
            return Entry.tombstone(entry.key(), timestamp, entry.from());
        }
        long livesMillis = entry.expiresAtMillis() - entry.timestamp().wallMillis();
        long expiresAtMillis =
                entry.expiresAtMillis() == Entry.NEVER
                        ? Entry.NEVER
                        : timestamp.wallMillis() + livesMillis;
        return Entry.expiring(entry.key(), timestamp, entry.value(), entry.from(), expiresAtMillis)
                .withContentType(entry.contentType());
    }

    private Outcome unreachable() {
        List<String> accepted = accepted();
        boolean isNothingStored =
                accepted.isEmpty() && !trace.isIndeterminate() && !wasStoredBefore;
        if (isNothingStored && trace.hasFailed(Failure.VERSION_TAKEN::equals)) {
            return new Outcome.VersionTaken(entry.timestamp(), explanation(List.of()));
        }
        if (isNothingStored && trace.hasFailed(Failure.TOO_OLD::equals)) {
            return new Outcome.TooOld(entry.timestamp(), explanation(List.of()));
        }
        String shortage = isNothingStored ? trace.shortage(electorate) : null;
        if (shortage != null) {
            return Outcome.Refused.forNow(shortage);
        }
        List<ReplicaFailure> failures = trace.failures();
        for (int i = trace.asked(); i < replicas.length; i++) {
            failures.add(
                    new ReplicaFailure(
                            replicas[i].name(),
                            Failure.NOT_ASKED,
                            "the others had made the quorum impossible"));
        }
        Explanation explanation = explanation(List.of());
        return new Outcome.QuorumFailed(entry.timestamp(), accepted, failures, explanation);
    }

    private Explanation explanation(List<String> hinted, @Nullable String whyNotRestamped) {
        List<Round> rounds = rounds();
        boolean isGivenVersion = write.origin() == ReplicaRequest.Origin.GIVEN;
        List<String> reasons =
                Reasons.ofWrite(electorate, rounds, isGivenVersion, hinted, whyNotRestamped);
        return new Explanation(reasons, rounds);
    }

    private List<Round> rounds() {
        List<Round> rounds = new ArrayList<>(earlier);
        rounds.add(trace.round(Purpose.WRITE, entry.timestamp()));
        return rounds;
    }

    private List<String> accepted() {
        return trace.names(tracker.succeededMask());
    }
}
