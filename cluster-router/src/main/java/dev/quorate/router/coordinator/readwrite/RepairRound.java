package dev.quorate.router.coordinator.readwrite;

import dev.quorate.router.coordinator.operation.Explanation.Purpose;
import dev.quorate.router.coordinator.operation.Explanation.Round;
import dev.quorate.router.coordinator.operation.Outcome.ReplicaFailure;
import dev.quorate.router.coordinator.operation.Trace;
import dev.quorate.router.message.ReplicaAnswer;
import dev.quorate.router.message.ReplicaAnswer.Failed;
import dev.quorate.router.quorum.Decision;
import dev.quorate.router.quorum.Electorate;
import dev.quorate.router.quorum.QuorumTracker;
import dev.quorate.router.replica.Owner;
import dev.quorate.storage.Entry;
import dev.quorate.storage.Timestamp;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Decides when a majority of its owners stores the newest entry that a read found: then no later
 * read at a majority returns anything older. Pure; not thread-safe.
 *
 * <p>The entry is sent with its original timestamp: a replica that has a newer entry by now does
 * not change. It is sent to its owners, the first {@code from} that it was written to, and to
 * others only where it replaces an older entry.
 */
final class RepairRound {

    enum Result {
        PENDING,
        /** A majority of the owners has the entry. */
        REPAIRED,
        /** A majority can no longer be reached; see {@link #failures}. */
        FAILED
    }

    private final Timestamp version;

    /** Null once it is {@linkplain #forget forgotten}. */
    private @Nullable Entry entry;

    private final Owner[] owners;

    /** The replicas to send it to: owners not known to have it, then the others. */
    private final List<Owner> targets = new ArrayList<>();

    private final QuorumTracker tracker;
    private final Trace trace;
    private final List<ReplicaFailure> failures = new ArrayList<>();

    /**
     * Creates a repair that was sent to no replica yet.
     *
     * @param owners the replicas that must have the entry
     * @param majority their majority
     * @param holders replicas known to have it
     * @param older replicas known to have an older one
     * @param nowNanos in {@code Ticker.nanos} time
     */
    RepairRound(
            Entry entry,
            Owner[] owners,
            Electorate majority,
            List<Owner> holders,
            List<Owner> older,
            long nowNanos) {
        this.entry = entry;
        this.version = entry.timestamp();
        this.owners = owners;
        this.tracker = new QuorumTracker(majority);
        for (int i = 0; i < owners.length; i++) {
            if (isAmong(holders, owners[i])) {
                tracker.succeeded(i);
            } else {
                targets.add(owners[i]);
            }
        }
        for (Owner other : older) {
            if (ownerIndex(other) < 0) {
                targets.add(other);
            }
        }
        this.trace = new Trace(targets.toArray(Owner[]::new), nowNanos, 0);
        trace.askAll();
    }

    /** The replicas to send the entry to, all at once. */
    List<Owner> targets() {
        return targets;
    }

    Entry entry() {
        return Objects.requireNonNull(entry, "the read is over");
    }

    /** Frees the entry: the read is over, and late answers keep the round reachable. */
    void forget() {
        entry = null;
    }

    /** The state before any replica was asked: the holders may suffice. */
    Result begun() {
        return result(tracker.outcome());
    }

    /**
     * A target has answered. Anything but {@link Result#PENDING} is returned once.
     *
     * @param target its place in {@link #targets}
     */
    Result answered(int target, ReplicaAnswer answer, long nowNanos) {
        int owner = ownerIndex(targets.get(target));
        if (owner >= 0 && tracker.answered(owner)) {
            return Result.PENDING;
        }
        trace.answered(target, answer, nowNanos);
        return switch (answer) {
            case ReplicaAnswer.Stored stored ->
                    owner < 0 ? Result.PENDING : result(tracker.succeeded(owner));
            case ReplicaAnswer other -> failed(target, owner, other.failure());
        };
    }

    private Result failed(int target, int owner, Failed failed) {
        trace.replaced(target, failed);
        if (owner < 0) {
            return Result.PENDING;
        }
        failures.add(
                new ReplicaFailure(
                        targets.get(target).name(),
                        failed.reason(),
                        "could not be repaired: " + failed.detail()));
        return result(tracker.failed(owner));
    }

    private static Result result(Decision decision) {
        return switch (decision) {
            case REACHED -> Result.REPAIRED;
            case UNREACHABLE -> Result.FAILED;
            case PENDING, SETTLED -> Result.PENDING;
        };
    }

    /** The owners that could not be repaired, and why. */
    List<ReplicaFailure> failures() {
        return failures;
    }

    /** The targets and their replies so far. */
    Round round() {
        return trace.round(Purpose.REPAIR, version);
    }

    private int ownerIndex(Owner replica) {
        for (int i = 0; i < owners.length; i++) {
            if (owners[i].member().equals(replica.member())) {
                return i;
            }
        }
        return -1;
    }

    private static boolean isAmong(List<Owner> owners, Owner wanted) {
        return owners.stream().anyMatch(owner -> owner.member().equals(wanted.member()));
    }
}
