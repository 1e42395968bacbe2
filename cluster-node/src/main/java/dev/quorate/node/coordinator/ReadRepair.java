package dev.quorate.node.coordinator;

import dev.quorate.node.coordinator.Explanation.Purpose;
import dev.quorate.node.coordinator.Explanation.Round;
import dev.quorate.node.coordinator.Outcome.ReplicaFailure;
import dev.quorate.node.message.ReplicaAnswer;
import dev.quorate.node.message.ReplicaAnswer.Failed;
import dev.quorate.node.message.ReplicaRequest;
import dev.quorate.node.replica.Replica;
import dev.quorate.router.quorum.Decision;
import dev.quorate.router.quorum.QuorumSpec;
import dev.quorate.router.quorum.QuorumTracker;
import dev.quorate.storage.Entry;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * Sends the newest entry that a read has found to those who lack it, and tells when a majority of
 * its owners have it: then no later read at a majority shows anything older.
 *
 * <p>The entry goes out as it was written, with its own timestamp: a replica that has something
 * newer by now keeps that. It goes to its owners, of which there are never more than its own {@code
 * from}, and to others only where it replaces an older entry.
 *
 * <p>Its lock guards every field that changes; nothing is called under it.
 */
final class ReadRepair {

    private final Coordinator coordinator;
    private final Entry entry;
    private final List<Replica> owners;
    private final List<Replica> holders;

    /** Those it is sent to: the owners that are not known to have it, then the others. */
    private final List<Replica> targets = new ArrayList<>();

    private final QuorumTracker tracker;
    private final Trace trace;
    private final List<ReplicaFailure> failures = new ArrayList<>();

    /**
     * @param owners those who are to have the entry
     * @param holders those who are known to have it
     * @param older those who are known to have an older one
     */
    ReadRepair(
            Coordinator coordinator,
            Entry entry,
            List<Replica> owners,
            List<Replica> holders,
            List<Replica> older) {
        this.coordinator = coordinator;
        this.entry = entry;
        this.owners = owners;
        this.holders = holders;
        this.tracker = new QuorumTracker(QuorumSpec.majority(owners.size()));
        for (Replica owner : owners) {
            if (!holders.contains(owner)) {
                targets.add(owner);
            }
        }
        for (Replica other : older) {
            if (!owners.contains(other)) {
                targets.add(other);
            }
        }
        this.trace = new Trace(targets.toArray(Replica[]::new), coordinator.nanos());
        targets.forEach(target -> trace.ask());
    }

    /**
     * Sends it.
     *
     * @param done told once: nothing if a majority has it, or why those who do not have it do not
     */
    void start(long deadlineNanos, Consumer<List<ReplicaFailure>> done) {
        coordinator.readRepaired();
        boolean enough = false;
        for (Replica holder : holders) {
            int owner = owners.indexOf(holder);
            enough |= owner >= 0 && holds(owner) == Decision.REACHED;
        }
        if (enough) {
            done.accept(List.of());
        }
        ReplicaRequest request = ReplicaRequest.Write.copyOf(entry);
        for (int i = 0; i < targets.size(); i++) {
            int index = i;
            targets.get(i).ask(request, deadlineNanos, answer -> answered(index, answer, done));
        }
    }

    /** To whom it was sent, and what they have said so far. */
    synchronized Round round() {
        return trace.round(Purpose.REPAIR, entry.timestamp());
    }

    private synchronized Decision holds(int owner) {
        return tracker.succeeded(owner);
    }

    private void answered(int index, ReplicaAnswer answer, Consumer<List<ReplicaFailure>> done) {
        switch (count(index, answer, coordinator.nanos())) {
            case REACHED -> done.accept(List.of());
            case UNREACHABLE -> done.accept(failures());
            case PENDING, SETTLED -> {}
        }
    }

    private synchronized Decision count(int index, ReplicaAnswer answer, long nowNanos) {
        int owner = owners.indexOf(targets.get(index));
        if (owner >= 0 && tracker.answered(owner)) {
            return Decision.SETTLED;
        }
        trace.answered(index, answer, nowNanos);
        return switch (answer) {
            case ReplicaAnswer.Stored stored ->
                    owner < 0 ? Decision.SETTLED : tracker.succeeded(owner);
            case ReplicaAnswer other -> failed(index, owner, other.failure());
        };
    }

    private Decision failed(int index, int owner, Failed failed) {
        trace.replaced(index, failed);
        if (owner < 0) {
            return Decision.SETTLED;
        }
        String name = targets.get(index).member().name();
        failures.add(
                new ReplicaFailure(
                        name, failed.reason(), "could not be repaired: " + failed.detail()));
        return tracker.failed(owner);
    }

    private synchronized List<ReplicaFailure> failures() {
        return List.copyOf(failures);
    }
}
