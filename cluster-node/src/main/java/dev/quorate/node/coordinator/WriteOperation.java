package dev.quorate.node.coordinator;

import dev.quorate.node.message.ReplicaAnswer;
import dev.quorate.node.message.ReplicaAnswer.Failed;
import dev.quorate.node.message.ReplicaAnswer.Failure;
import dev.quorate.node.message.ReplicaAnswer.Stored;
import dev.quorate.node.message.ReplicaRequest;
import dev.quorate.node.replica.Replica;
import dev.quorate.router.quorum.Decision;
import dev.quorate.router.quorum.QuorumSpec;
import dev.quorate.router.quorum.QuorumTracker;
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

    private static final Failed NOT_ASKED =
            new Failed(Failure.NOT_ASKED, "the others had made the quorum impossible");

    private final Coordinator coordinator;
    private final QuorumSpec spec;
    private final Replica[] replicas;
    private final Entry entry;
    private final long deadlineNanos;

    /** How often this write may still be stamped anew; 0 if the client gave the timestamp. */
    private final int restamps;

    /** Whether replicas have stored it under an earlier timestamp. */
    private final boolean storedBefore;

    private final OutcomeCallback callback;
    private final QuorumTracker tracker;
    private final Failures failures = new Failures();

    /** The newest timestamp that a replica whose acknowledgement counts holds for the key. */
    private Timestamp newest;

    /** While replicas are still being asked, a failure is not final. */
    private boolean asking = true;

    private int asked;
    private int answers;

    /** Whether this round has ended with the write being acknowledged. */
    private boolean written;

    WriteOperation(
            Coordinator coordinator,
            QuorumSpec spec,
            Replica[] replicas,
            Entry entry,
            long deadlineNanos,
            int restamps,
            OutcomeCallback callback) {
        this(coordinator, spec, replicas, entry, deadlineNanos, restamps, false, callback);
    }

    private WriteOperation(
            Coordinator coordinator,
            QuorumSpec spec,
            Replica[] replicas,
            Entry entry,
            long deadlineNanos,
            int restamps,
            boolean storedBefore,
            OutcomeCallback callback) {
        this.storedBefore = storedBefore;
        this.coordinator = coordinator;
        this.spec = spec;
        this.replicas = replicas;
        this.entry = entry;
        this.deadlineNanos = deadlineNanos;
        this.restamps = restamps;
        this.callback = callback;
        this.tracker = new QuorumTracker(spec);
        this.newest = entry.timestamp();
    }

    /** Asks every replica, unless those asked so far have made the quorum impossible. */
    void start() {
        ReplicaRequest request = new ReplicaRequest.Write(entry);
        for (int i = 0; i < replicas.length && mayAskOneMore(); i++) {
            int index = i;
            replicas[i].ask(request, deadlineNanos, answer -> answered(index, answer));
        }
        Outcome outcome = allAsked();
        if (outcome != null) {
            coordinator.finished(outcome, callback);
        }
    }

    private synchronized boolean mayAskOneMore() {
        if (tracker.outcome() == Decision.UNREACHABLE) {
            return false;
        }
        asked++;
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
        synchronized (this) {
            if (tracker.answered(index)) {
                return;
            }
            answers++;
            reached = count(index, answer) == Decision.REACHED;
            missed = written && isSet(tracker.failedMask(), index);
            if (!reached && failedForGood()) {
                failure = unreachable();
            }
        }
        if (failure != null) {
            coordinator.finished(failure, callback);
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
            case Failed failed -> failed(index, failed);
            case ReplicaAnswer.Found found -> failed(index, ReadOperation.unexpected(found));
            case ReplicaAnswer.Absent absent -> failed(index, ReadOperation.unexpected(absent));
            case ReplicaAnswer.Page page -> failed(index, ReadOperation.unexpected(page));
            case ReplicaAnswer.Compared compared ->
                    failed(index, ReadOperation.unexpected(compared));
        };
    }

    private Decision failed(int index, Failed failed) {
        failures.add(replicas[index].member(), failed);
        return tracker.failed(index);
    }

    /** True once: when the last answer of a round that cannot succeed is in. */
    private boolean failedForGood() {
        return tracker.outcome() == Decision.UNREACHABLE && !asking && answers == asked;
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
        }
        if (superseded) {
            coordinator.restamp(this, seen);
            return;
        }
        coordinator.finished(new Outcome.Written(entry.timestamp()), callback);
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
                coordinator, spec, replicas, later, deadlineNanos, restamps - 1, true, callback);
    }

    /** It reached its quorum, but under a timestamp that some of it holds to be old. */
    void finishSuperseded(String why) {
        List<Outcome.ReplicaFailure> all;
        List<String> accepted;
        synchronized (this) {
            accepted = accepted();
            all = new ArrayList<>(failures.list());
        }
        all.add(
                new Outcome.ReplicaFailure(
                        coordinator.memberName(), Failure.FAILED, "not the newest entry: " + why));
        coordinator.finished(new Outcome.QuorumFailed(entry.timestamp(), accepted, all), callback);
    }

    private Outcome unreachable() {
        List<String> accepted = accepted();
        boolean nothingStored = accepted.isEmpty() && !failures.isIndeterminate() && !storedBefore;
        if (nothingStored && failures.isForWantOfRoom(spec)) {
            return Coordinator.refusal(failures.shortage());
        }
        for (int i = asked; i < replicas.length; i++) {
            failures.add(replicas[i].member(), NOT_ASKED);
        }
        return new Outcome.QuorumFailed(entry.timestamp(), accepted, failures.list());
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
