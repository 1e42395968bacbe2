package dev.quorate.node.coordinator;

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
    private final List<Replica> older;
    private final QuorumTracker tracker;
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
        this.older = older;
        this.tracker = new QuorumTracker(QuorumSpec.majority(owners.size()));
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
            int index = owners.indexOf(holder);
            enough |= index >= 0 && count(index, true) == Decision.REACHED;
        }
        if (enough) {
            done.accept(List.of());
        }
        ReplicaRequest request = new ReplicaRequest.Write(entry);
        for (int i = 0; i < owners.size(); i++) {
            Replica owner = owners.get(i);
            int index = i;
            if (!holders.contains(owner)) {
                owner.ask(request, deadlineNanos, answer -> answered(index, answer, done));
            }
        }
        for (Replica other : older) {
            if (!owners.contains(other)) {
                other.ask(request, deadlineNanos, answer -> {});
            }
        }
    }

    private synchronized Decision count(int index, boolean success) {
        return success ? tracker.succeeded(index) : tracker.failed(index);
    }

    private void answered(int index, ReplicaAnswer answer, Consumer<List<ReplicaFailure>> done) {
        Decision decision =
                switch (answer) {
                    case ReplicaAnswer.Stored stored -> count(index, true);
                    case Failed failed -> failed(index, failed);
                    case ReplicaAnswer.Found found ->
                            failed(index, ReadOperation.unexpected(found));
                    case ReplicaAnswer.Absent absent ->
                            failed(index, ReadOperation.unexpected(absent));
                    case ReplicaAnswer.Page page -> failed(index, ReadOperation.unexpected(page));
                    case ReplicaAnswer.Compared compared ->
                            failed(index, ReadOperation.unexpected(compared));
                };
        switch (decision) {
            case REACHED -> done.accept(List.of());
            case UNREACHABLE -> done.accept(failures());
            case PENDING, SETTLED -> {}
        }
    }

    private synchronized Decision failed(int index, Failed failed) {
        String name = owners.get(index).member().name();
        failures.add(
                new ReplicaFailure(
                        name, failed.reason(), "could not be repaired: " + failed.detail()));
        return tracker.failed(index);
    }

    private synchronized List<ReplicaFailure> failures() {
        return List.copyOf(failures);
    }
}
