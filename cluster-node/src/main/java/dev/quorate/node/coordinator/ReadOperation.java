package dev.quorate.node.coordinator;

import dev.quorate.node.clock.Deadlines;
import dev.quorate.node.coordinator.Explanation.Purpose;
import dev.quorate.node.coordinator.Explanation.Round;
import dev.quorate.node.coordinator.Outcome.ReplicaFailure;
import dev.quorate.node.memory.ByteBudget;
import dev.quorate.node.message.Digest;
import dev.quorate.node.message.ReplicaAnswer;
import dev.quorate.node.message.ReplicaAnswer.Failed;
import dev.quorate.node.message.ReplicaAnswer.Failure;
import dev.quorate.node.message.ReplicaRequest;
import dev.quorate.node.replica.Replica;
import dev.quorate.router.quorum.Decision;
import dev.quorate.router.quorum.QuorumSpec;
import dev.quorate.router.quorum.QuorumTracker;
import dev.quorate.storage.Entry;
import dev.quorate.storage.Timestamp;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * One read under way. Its lock guards every field that changes; nothing is called under it.
 *
 * <p>One replica is asked for the entry, and the others, where its value is long, for its digest:
 * whoever turns out to hold something else is asked for that.
 *
 * <p>As many replicas are asked as have to answer, and one more for each that fails. When the read
 * is late, one more is asked without waiting any longer for the others, and the rest when it is
 * late once more.
 *
 * <p>Where the answers that decide a read at a majority differ, {@link ReadRepair} comes before the
 * client's answer. Where it may not wait for that, or where an answer that comes too late to count
 * differs, the key is noted to be looked at again.
 */
final class ReadOperation implements Deadlines.Expiring {

    private static final Failed NO_ROOM =
            new Failed(Failure.OVERLOADED, "this node has no room for more large values");

    /** What an answer leads to. */
    private enum Step {
        NOTHING,
        ASK,
        ANSWER,
        ANSWER_AND_LOOK_AGAIN,
        REPAIR,
        FAIL,
        LOOK_AGAIN
    }

    private final Coordinator coordinator;
    private final byte[] key;
    private final QuorumSpec spec;
    private final Replica[] replicas;
    private final long begunNanos;

    /**
     * When it began, by this node's wall clock: at that moment values have expired, or not. Whoever
     * is asked after it and refuses no such clock has confirmed it; a clock that jumps while
     * answers are on their way, nobody has.
     */
    private final long begunMillis;

    private final long deadlineNanos;

    /** Whether this is itself another look, which must not lead to the next. */
    private final boolean isAnotherLook;

    private final OutcomeCallback callback;
    private final QuorumTracker tracker;
    private final Trace trace;
    private final ByteBudget largeValues;

    /** The newest entry among the answers that count. */
    private @Nullable Entry newest;

    /** The timestamp of the newest entry, also when that is not kept any more. */
    private Timestamp newestTimestamp = Timestamp.ZERO;

    /** Bit i is set if replica i has the newest entry; without one, if it has none either. */
    private long holders;

    /** Bit i is set if replica i has an entry that is older than another's, or was. */
    private long older;

    private long heldBytes;

    /** Bit i is set if replica i was asked for the entry, and not for its digest. */
    private long askedWhole;

    /** Bit i is set if replica i is now to be asked for the entry, its digest being of no use. */
    private long toAskWhole;

    /** Digests that wait for an entry to be compared with; null where no replica sent one. */
    private @Nullable Digest @Nullable [] digests;

    /** So many replicas are asked beside those that are needed, because the read is late. */
    private int hedges;

    /** When it is late, or late once more. */
    private long lateNanos;

    /** Set before the client is answered, where the answers differ. */
    private @Nullable ReadRepair repair;

    ReadOperation(
            Coordinator coordinator,
            byte[] key,
            QuorumSpec spec,
            Replica[] replicas,
            long begunNanos,
            long deadlineNanos,
            boolean isAnotherLook,
            OutcomeCallback callback) {
        this.coordinator = coordinator;
        this.key = key;
        this.spec = spec;
        this.replicas = replicas;
        this.begunNanos = begunNanos;
        this.begunMillis = coordinator.wallMillis();
        this.deadlineNanos = deadlineNanos;
        this.isAnotherLook = isAnotherLook;
        this.callback = callback;
        this.tracker = new QuorumTracker(spec);
        this.trace = new Trace(replicas, begunNanos);
        this.largeValues = coordinator.largeValues();
    }

    /** Asks the first replicas, and has itself told when it is late. */
    void start() {
        ask();
        if (mayBecomeLate()) {
            coordinator.watch(this);
        }
    }

    /** Asks as many replicas as are needed now. */
    private void ask() {
        int next;
        while ((next = takeNext()) >= 0) {
            int index = next;
            ReplicaRequest request =
                    isAskedWhole(index)
                            ? new ReplicaRequest.Read(key)
                            : new ReplicaRequest.ReadDigest(key);
            replicas[index].ask(request, deadlineNanos, answer -> answered(index, answer));
        }
    }

    private synchronized boolean isAskedWhole(int index) {
        return (askedWhole & 1L << index) != 0;
    }

    /** The replica to be asked next; -1 if none is, for now. */
    private synchronized int takeNext() {
        if (toAskWhole != 0 && !isDecided()) {
            int again = Long.numberOfTrailingZeros(toAskWhole);
            toAskWhole &= toAskWhole - 1;
            return again;
        }
        int asked = trace.asked();
        int useful = asked - Long.bitCount(tracker.failedMask());
        if (isDecided() || asked == replicas.length || useful >= spec.ack() + hedges) {
            return -1;
        }
        trace.ask();
        if (newest == null && (hedges > 0 || !isEntryAwaited())) {
            askedWhole |= 1L << asked;
        }
        return asked;
    }

    /** Whether a replica that was asked for the entry has yet to answer. */
    private boolean isEntryAwaited() {
        return (askedWhole & ~tracker.succeededMask() & ~tracker.failedMask()) != 0;
    }

    private synchronized boolean mayBecomeLate() {
        lateNanos = begunNanos + coordinator.lateReads().nanos();
        return !isDecided() && trace.asked() < replicas.length;
    }

    @Override
    public synchronized boolean isSettled() {
        return isDecided() || trace.asked() == replicas.length;
    }

    @Override
    public synchronized long deadlineNanos() {
        return lateNanos;
    }

    /** It is late: one replica more; and once more, all. */
    @Override
    public void expire() {
        synchronized (this) {
            hedges = hedges == 0 ? 1 : replicas.length;
            lateNanos += coordinator.lateReads().nanos();
        }
        coordinator.hedged();
        ask();
        if (!isSettled()) {
            coordinator.watch(this);
        }
    }

    private boolean isDecided() {
        return tracker.outcome() != Decision.PENDING;
    }

    private void answered(int index, ReplicaAnswer answer) {
        switch (count(index, answer, coordinator.nanos())) {
            case NOTHING -> {}
            case ASK -> ask();
            case ANSWER -> finish(Resolver.outcome(newest(), begunMillis), false);
            case ANSWER_AND_LOOK_AGAIN -> {
                finish(Resolver.outcome(newest(), begunMillis), true);
                coordinator.lookAgain(key, spec.from());
            }
            case REPAIR -> repair();
            case FAIL -> finish(unreachable(), false);
            case LOOK_AGAIN -> coordinator.lookAgain(key, spec.from());
        }
    }

    private void finish(Outcome outcome, boolean isLookedAtAgain) {
        Explanation explanation =
                callback.isExplained() ? explanation(outcome, isLookedAtAgain) : null;
        letGo();
        if (isAnotherLook) {
            coordinator.looked(outcome, callback);
        } else {
            coordinator.readFinished(outcome, callback, explanation);
        }
    }

    private Explanation explanation(Outcome outcome, boolean isLookedAtAgain) {
        if (outcome instanceof Outcome.QuorumFailed failed) {
            return failed.explanation();
        }
        List<Round> rounds = rounds();
        return new Explanation(Reasons.ofRead(spec, rounds, outcome, isLookedAtAgain), rounds);
    }

    private List<Round> rounds() {
        Round read;
        ReadRepair sent;
        synchronized (this) {
            read = trace.round(Purpose.READ, null);
            sent = repair;
        }
        return sent == null ? List.of(read) : List.of(read, sent.round());
    }

    private synchronized Step count(int index, ReplicaAnswer answer, long nowNanos) {
        if (tracker.answered(index)) {
            return Step.NOTHING;
        }
        if (isDecided()) {
            return countLate(index, answer);
        }
        trace.answered(index, answer, nowNanos);
        Decision decision =
                switch (answer) {
                    case ReplicaAnswer.Found found ->
                            hold(index, found.entry()) ? tracker.succeeded(index) : noRoom(index);
                    case ReplicaAnswer.Absent absent -> {
                        if (newest == null) {
                            holders |= 1L << index;
                        }
                        yield tracker.succeeded(index);
                    }
                    case ReplicaAnswer.Digested(Digest digest) -> {
                        keep(index, digest);
                        yield Decision.PENDING;
                    }
                    case ReplicaAnswer other -> failed(index, other.failure());
                };
        if (decision == Decision.PENDING && digests != null) {
            decision = compare(digests);
        }
        return switch (decision) {
            case REACHED -> reached(index, nowNanos);
            case UNREACHABLE -> Step.FAIL;
            case PENDING -> hasFailed(index) || toAskWhole != 0 ? Step.ASK : Step.NOTHING;
            case SETTLED -> Step.NOTHING;
        };
    }

    private void keep(int index, Digest digest) {
        if (digests == null) {
            digests = new Digest[replicas.length];
        }
        digests[index] = digest;
    }

    /**
     * Counts the digests of which it is clear now what they say: the entry that is here, or an
     * older one. Whoever has sent another is to be asked for what it holds.
     */
    private Decision compare(@Nullable Digest[] kept) {
        Entry entry = newest;
        if (entry == null && isEntryAwaited()) {
            return Decision.PENDING;
        }
        Decision decision = Decision.PENDING;
        for (int i = 0; i < kept.length && decision == Decision.PENDING; i++) {
            Digest digest = kept[i];
            if (digest == null) {
                continue;
            }
            kept[i] = null;
            long bit = 1L << i;
            if (entry != null && entry.timestamp().isAfter(digest.version())) {
                older |= bit;
                decision = tracker.succeeded(i);
            } else if (entry != null && digest.isOf(entry)) {
                holders |= bit;
                decision = tracker.succeeded(i);
            } else {
                askedWhole |= bit;
                toAskWhole |= bit;
            }
        }
        return decision;
    }

    private boolean hasFailed(int index) {
        return (tracker.failedMask() & 1L << index) != 0;
    }

    private Step reached(int index, long nowNanos) {
        if (index > 0) {
            coordinator.lateReads().took(nowNanos - begunNanos);
        }
        if (holders == tracker.succeededMask()) {
            return Step.ANSWER;
        }
        if (spec.isMajority()) {
            return Step.REPAIR;
        }
        return isAnotherLook ? Step.ANSWER : Step.ANSWER_AND_LOOK_AGAIN;
    }

    private Step countLate(int index, ReplicaAnswer answer) {
        boolean differs =
                switch (answer) {
                    case ReplicaAnswer.Found found ->
                            !found.entry().timestamp().equals(newestTimestamp);
                    case ReplicaAnswer.Digested(Digest digest) ->
                            !digest.version().equals(newestTimestamp);
                    case ReplicaAnswer.Absent absent -> !newestTimestamp.equals(Timestamp.ZERO);
                    case ReplicaAnswer other -> false;
                };
        tracker.succeeded(index); // what it says again is not listened to
        return differs && !isAnotherLook && tracker.outcome() == Decision.REACHED
                ? Step.LOOK_AGAIN
                : Step.NOTHING;
    }

    private void repair() {
        Entry entry;
        long have;
        long haveOlder;
        List<ReplicaFailure> failed;
        synchronized (this) {
            entry = Objects.requireNonNull(newest, "without an entry all answers are the same");
            have = holders;
            haveOlder = older;
            failed = trace.failures();
        }
        List<Replica> holding = chosen(have);
        ReadRepair sent =
                new ReadRepair(
                        coordinator,
                        entry,
                        coordinator.owners(key, Math.min(spec.from(), entry.from())),
                        holding,
                        chosen(haveOlder));
        synchronized (this) {
            repair = sent;
        }
        sent.start(
                deadlineNanos,
                notRepaired -> {
                    if (notRepaired.isEmpty()) {
                        finish(Resolver.outcome(entry, begunMillis), false);
                    } else if (entry.from() < spec.from()) {
                        finishUnrepaired(entry);
                    } else {
                        List<ReplicaFailure> all = new ArrayList<>(failed);
                        all.addAll(notRepaired);
                        finish(quorumFailed(names(holding), all), false);
                    }
                });
    }

    /**
     * Enough replicas have answered, and the newest entry is shown. It was written to fewer
     * replicas than this read asks: what no copy may be made of cannot be left with a majority of
     * them.
     */
    private void finishUnrepaired(Entry entry) {
        finish(Resolver.outcome(entry, begunMillis), !isAnotherLook);
        if (!isAnotherLook) {
            coordinator.lookAgain(key, spec.from());
        }
    }

    private Outcome.QuorumFailed quorumFailed(List<String> answered, List<ReplicaFailure> failed) {
        List<Round> rounds = rounds();
        return new Outcome.QuorumFailed(
                null,
                answered,
                failed,
                new Explanation(Reasons.ofFailedRead(spec, rounds), rounds));
    }

    private List<Replica> chosen(long mask) {
        List<Replica> chosen = new ArrayList<>();
        for (int i = 0; i < replicas.length; i++) {
            if ((mask & 1L << i) != 0) {
                chosen.add(replicas[i]);
            }
        }
        return chosen;
    }

    private static List<String> names(List<Replica> replicas) {
        return replicas.stream().map(replica -> replica.member().name()).toList();
    }

    /** Keeps the newer of this entry and the one kept; false if there is no room for it. */
    private boolean hold(int index, Entry entry) {
        long bit = 1L << index;
        Entry held = newest;
        int age = held == null ? 1 : entry.timestamp().compareTo(newestTimestamp);
        if (age < 0) {
            older |= bit;
            return true;
        }
        // Where an entry has expired, one replica may give it and another its tombstone. Two writes
        // with one version are no such case: all are to keep the same one.
        boolean isAlike = held != null && age == 0 && entry.hasSameContent(held, begunMillis);
        if (held != null && !entry.supersedes(held)) {
            holders |= isAlike ? bit : 0;
            older |= isAlike ? 0 : bit;
            return true;
        }
        long bytes = entry.valueBytes();
        if (!largeValues.tryReserve(bytes)) {
            return false;
        }
        if (isAlike) {
            holders |= bit;
        } else {
            older |= held == null ? 0 : holders;
            holders = bit;
        }
        largeValues.release(heldBytes);
        heldBytes = bytes;
        newest = entry;
        newestTimestamp = entry.timestamp();
        return true;
    }

    private synchronized @Nullable Entry newest() {
        return newest;
    }

    /** Answers that are still to come keep this operation, but not what the others have said. */
    private synchronized void letGo() {
        newest = null;
        trace.forget();
        largeValues.release(heldBytes);
        heldBytes = 0;
    }

    private Decision failed(int index, Failed failed) {
        trace.replaced(index, failed);
        return tracker.failed(index);
    }

    /** Others would send the same value, for which there is no room either: nobody is asked. */
    private Decision noRoom(int index) {
        Decision decision = failed(index, NO_ROOM);
        for (int i = 0; i < replicas.length && decision == Decision.PENDING; i++) {
            decision = tracker.failed(i);
        }
        return decision;
    }

    private Outcome unreachable() {
        List<String> answered;
        List<ReplicaFailure> failed;
        synchronized (this) {
            String shortage = trace.shortage(spec);
            if (shortage != null) {
                return Coordinator.refusal(shortage);
            }
            answered = names(chosen(tracker.succeededMask()));
            failed = trace.failures();
        }
        return quorumFailed(answered, failed);
    }
}
