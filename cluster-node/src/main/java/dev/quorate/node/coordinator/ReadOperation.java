package dev.quorate.node.coordinator;

import dev.quorate.node.memory.ByteBudget;
import dev.quorate.node.message.ReplicaAnswer;
import dev.quorate.node.message.ReplicaAnswer.Failed;
import dev.quorate.node.message.ReplicaAnswer.Failure;
import dev.quorate.node.message.ReplicaRequest;
import dev.quorate.node.replica.Replica;
import dev.quorate.router.quorum.Decision;
import dev.quorate.router.quorum.QuorumSpec;
import dev.quorate.router.quorum.QuorumTracker;
import dev.quorate.storage.Entry;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** One read under way. Its lock guards every field that changes; nothing is called under it. */
final class ReadOperation {

    private static final Failed NO_ROOM =
            new Failed(Failure.OVERLOADED, "this node has no room for more large values");

    private final Coordinator coordinator;
    private final QuorumSpec spec;
    private final Replica[] replicas;
    private final OutcomeCallback callback;
    private final QuorumTracker tracker;
    private final Failures failures = new Failures();
    private final ByteBudget largeValues;

    /** The newest entry among the answers that count. */
    private @Nullable Entry newest;

    private long heldBytes;

    ReadOperation(
            Coordinator coordinator,
            QuorumSpec spec,
            Replica[] replicas,
            OutcomeCallback callback) {
        this.coordinator = coordinator;
        this.spec = spec;
        this.replicas = replicas;
        this.callback = callback;
        this.tracker = new QuorumTracker(spec);
        this.largeValues = coordinator.largeValues();
    }

    /** Asks the replicas one after the other, and none any more once it is decided. */
    void start(byte[] key, long deadlineNanos) {
        ReplicaRequest request = new ReplicaRequest.Read(key);
        for (int i = 0; i < replicas.length && !isDecided(); i++) {
            int index = i;
            replicas[i].ask(request, deadlineNanos, answer -> answered(index, answer));
        }
    }

    private synchronized boolean isDecided() {
        return tracker.outcome() != Decision.PENDING;
    }

    private void answered(int index, ReplicaAnswer answer) {
        Outcome outcome = count(index, answer);
        if (outcome != null) {
            coordinator.finished(outcome, callback);
        }
    }

    /** The outcome, if this answer decides it. */
    private synchronized @Nullable Outcome count(int index, ReplicaAnswer answer) {
        if (isDecided() || tracker.answered(index)) {
            return null;
        }
        Decision decision =
                switch (answer) {
                    case ReplicaAnswer.Found found ->
                            hold(found.entry()) ? tracker.succeeded(index) : failed(index, NO_ROOM);
                    case ReplicaAnswer.Absent absent -> tracker.succeeded(index);
                    case Failed failed -> failed(index, failed);
                    case ReplicaAnswer.Stored stored -> failed(index, unexpected(stored));
                    case ReplicaAnswer.Page page -> failed(index, unexpected(page));
                };
        return switch (decision) {
            case REACHED -> Resolver.outcome(letGo(), coordinator.wallMillis());
            case UNREACHABLE -> {
                letGo();
                yield unreachable();
            }
            case PENDING, SETTLED -> null;
        };
    }

    /** Keeps the newer of this entry and the one kept; false if there is no room for it. */
    private boolean hold(Entry entry) {
        if (newest != null && !entry.supersedes(newest)) {
            return true;
        }
        long bytes = entry.valueBytes();
        if (!largeValues.tryReserve(bytes)) {
            return false;
        }
        largeValues.release(heldBytes);
        heldBytes = bytes;
        newest = entry;
        return true;
    }

    /** The entry kept. Answers that are still to come keep this operation, but not its value. */
    private @Nullable Entry letGo() {
        Entry entry = newest;
        newest = null;
        largeValues.release(heldBytes);
        heldBytes = 0;
        return entry;
    }

    private Decision failed(int index, Failed failed) {
        failures.add(replicas[index].member(), failed);
        return tracker.failed(index);
    }

    static Failed unexpected(ReplicaAnswer answer) {
        return new Failed(Failure.FAILED, "answered with " + answer.getClass().getSimpleName());
    }

    private Outcome unreachable() {
        if (failures.isForWantOfRoom(spec)) {
            return Coordinator.refusal(failures.shortage());
        }
        List<String> answered = new ArrayList<>();
        for (int i = 0; i < replicas.length; i++) {
            if ((tracker.succeededMask() & 1L << i) != 0) {
                answered.add(replicas[i].member().name());
            }
        }
        return new Outcome.QuorumFailed(null, answered, failures.list());
    }
}
