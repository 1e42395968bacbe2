package dev.quorate.router.coordinator.readwrite;

import dev.quorate.router.coordinator.operation.AskedReplica;
import dev.quorate.router.coordinator.operation.Explanation;
import dev.quorate.router.coordinator.operation.Explanation.Purpose;
import dev.quorate.router.coordinator.operation.Explanation.Round;
import dev.quorate.router.coordinator.operation.Outcome;
import dev.quorate.router.coordinator.operation.Outcome.ReplicaFailure;
import dev.quorate.router.coordinator.operation.Resolver;
import dev.quorate.router.coordinator.operation.Trace;
import dev.quorate.router.message.Digest;
import dev.quorate.router.message.ReplicaAnswer;
import dev.quorate.router.message.ReplicaAnswer.Failed;
import dev.quorate.router.message.ReplicaAnswer.Failure;
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
 * Decides a read: which replica to ask next, when the answers suffice, and what they mean. Pure:
 * each event returns the next step, and {@link ReadOperation} takes it. Not thread-safe.
 *
 * <p>One replica is asked for the entry, and the others for its digest if its value is long. A
 * replica whose digest differs is asked again, for its entry.
 *
 * <p>The read asks as many replicas as must answer, and one more for each that fails. When it is
 * late, it asks one more of each group without waiting for the others, and when it is late again,
 * all remaining replicas.
 *
 * <p>If the answers that decide a read at a majority differ, the newest entry is written to a
 * majority of its owners before the client is answered. Below a majority, or if an answer that
 * arrives after the decision differs, the key is repaired later.
 */
public final class ReadRound {

    private static final Failed NO_ROOM =
            new Failed(Failure.OVERLOADED, "this node has no room for more large values");

    /** What to do next. */
    sealed interface Step {

        /** Nothing, until a replica answers or the read is late. */
        enum Wait implements Step {
            WAIT
        }

        /** Ask a replica for the entry or for its digest; then take the {@linkplain #next} step. */
        record Ask(int replica, boolean isForEntry) implements Step {

            private static final int CACHED = 8;
            private static final Ask[] ENTRY = cache(true);
            private static final Ask[] DIGEST = cache(false);

            private static Ask[] cache(boolean isForEntry) {
                Ask[] steps = new Ask[CACHED];
                for (int i = 0; i < CACHED; i++) {
                    steps[i] = new Ask(i, isForEntry);
                }
                return steps;
            }

            /** Each question takes a step, so the steps of the usual quorums are cached. */
            static Ask of(int replica, boolean isForEntry) {
                return replica >= CACHED
                        ? new Ask(replica, isForEntry)
                        : (isForEntry ? ENTRY : DIGEST)[replica];
            }
        }

        /**
         * Answer the client: the quorum was reached.
         *
         * @param isRepairDeferred whether the key is to be repaired later
         */
        record Answer(Outcome outcome, boolean isRepairDeferred) implements Step {}

        /** Answer the client: too few replicas answered, or too few stored the repair. */
        record Fail(Outcome outcome) implements Step {}

        /** Write the newest entry to a majority of the key's first {@code from} replicas. */
        record Repair(Entry entry, int from) implements Step {}

        /** The client has its answer; repair the key later. */
        enum DeferRepair implements Step {
            DEFER_REPAIR
        }
    }

    private final Electorate electorate;
    private final int defaultFrom;
    private final Owner[] replicas;
    private final long begunMillis;
    private final boolean isDeferredRepair;
    private final QuorumTracker tracker;
    private final Trace trace;

    /** The newest entry among the answers that count. */
    private @Nullable Entry newest;

    private int replacements;

    /** The timestamp of the newest entry, even after the entry was freed. */
    private Timestamp newestTimestamp = Timestamp.ZERO;

    /** Bit i is set if replica i has the newest entry or, while none is known, has no entry. */
    private long holders;

    /** Bit i is set if the entry in the answer of replica i is older than another replica's. */
    private long older;

    /** Bit i is set if replica i was asked for the entry, and not for its digest. */
    private long askedForEntry;

    /** Bit i is set if replica i must be asked for the entry, because its digest differs. */
    private long toAskAgain;

    /** Digests that are not compared yet; null where no replica sent one. */
    private @Nullable Digest @Nullable [] digests;

    /** How many replicas are asked beyond those needed, because the read is late. */
    private int hedges;

    /** The repair before the client is answered, where the answers differ. */
    private @Nullable RepairRound repair;

    /**
     * Creates a round that has asked no replica yet.
     *
     * @param defaultFrom number of owners of an entry whose stored {@code from} is 0
     * @param replicas those of the electorate, in the order in which they are asked
     * @param begunNanos when it began, in {@code Ticker.nanos} time
     * @param begunMillis when it began, by this node's wall clock: entries that have expired by
     *     then count as expired. Replicas asked afterwards check this clock; a jump while their
     *     answers are under way goes unchecked
     * @param isDeferredRepair whether this read is itself a deferred repair, which must not enqueue
     *     another
     */
    ReadRound(
            Electorate electorate,
            int defaultFrom,
            Owner[] replicas,
            long begunNanos,
            long begunMillis,
            boolean isDeferredRepair) {
        this.electorate = electorate;
        this.defaultFrom = defaultFrom;
        this.replicas = replicas;
        this.begunMillis = begunMillis;
        this.isDeferredRepair = isDeferredRepair;
        this.tracker = new QuorumTracker(electorate);
        this.trace = new Trace(replicas, begunNanos, defaultFrom);
    }

    // ---- Events.

    /** The first step, and the next one after an {@link Step.Ask} was taken. */
    Step next() {
        if (isDecided()) {
            return Step.Wait.WAIT;
        }
        if (toAskAgain != 0) {
            int again = Long.numberOfTrailingZeros(toAskAgain);
            toAskAgain &= toAskAgain - 1;
            return Step.Ask.of(again, true);
        }
        int asked = trace.asked();
        long useful = ((1L << asked) - 1) & ~tracker.failedMask();
        if (asked == replicas.length || electorate.isQuorum(useful, hedges)) {
            return Step.Wait.WAIT;
        }
        trace.ask();
        boolean isForEntry = newest == null && (hedges > 0 || !isEntryAwaited());
        if (isForEntry) {
            askedForEntry |= 1L << asked;
        }
        return Step.Ask.of(asked, isForEntry);
    }

    /** The read is late: asks one more replica and, the second time, all. */
    Step onDelay() {
        hedges = hedges == 0 ? 1 : replicas.length;
        return next();
    }

    /** Notes when the question to a replica left this node; see {@link AskedReplica#leftNanos}. */
    void onSent(int index, long leftNanos) {
        trace.onSent(index, leftNanos);
    }

    /**
     * A replica has answered.
     *
     * @param hasRoom whether there is memory for the {@linkplain #bytesToHold bytes} that this
     *     answer needs
     * @param nowNanos in {@code Ticker.nanos} time
     */
    Step answered(int index, ReplicaAnswer answer, boolean hasRoom, long nowNanos) {
        if (tracker.answered(index)) {
            return Step.Wait.WAIT;
        }
        if (isDecided()) {
            return answeredLate(index, answer);
        }
        trace.answered(index, answer, nowNanos);
        Decision decision =
                switch (answer) {
                    case ReplicaAnswer.Found(Entry entry) -> found(index, entry, hasRoom);
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
            case REACHED -> reached();
            case UNREACHABLE -> unreachable();
            case PENDING -> next();
            case SETTLED -> Step.Wait.WAIT;
        };
    }

    /**
     * Begins the {@link Step.Repair}.
     *
     * @param owners the owners that must have the entry
     * @param majority their majority
     */
    RepairRound repair(Owner[] owners, Electorate majority, long nowNanos) {
        Entry entry = Objects.requireNonNull(newest, "without an entry all answers are the same");
        repair = new RepairRound(entry, owners, majority, chosen(holders), chosen(older), nowNanos);
        return repair;
    }

    Step repaired(RepairRound.Result result) {
        RepairRound ended = Objects.requireNonNull(repair, "no repair was begun");
        return switch (result) {
            case PENDING -> Step.Wait.WAIT;
            case REPAIRED -> new Step.Answer(Resolver.outcome(ended.entry(), begunMillis), false);
            case FAILED -> {
                Entry entry = ended.entry();
                // Enough replicas answered, so the newest entry is returned. It was written to
                // fewer replicas than this read asks, and must not be copied to others: it cannot
                // reach a majority of them.
                if (copiesOf(entry) < electorate.spec().from()) {
                    yield new Step.Answer(Resolver.outcome(entry, begunMillis), !isDeferredRepair);
                }
                List<ReplicaFailure> failures = trace.failures();
                failures.addAll(ended.failures());
                yield new Step.Fail(quorumFailed(trace.names(holders), failures));
            }
        };
    }

    // ---- What is known.

    /** Whether lateness no longer matters: the read is decided, or all replicas were asked. */
    boolean isComplete() {
        return isDecided() || trace.asked() == replicas.length;
    }

    /** How many answers have become the newest entry so far. */
    int replacements() {
        return replacements;
    }

    /** How many bytes of this answer will remain in memory; 0 if it will be dropped. */
    long bytesToHold(ReplicaAnswer answer) {
        return answer instanceof ReplicaAnswer.Found(Entry entry)
                        && !isDecided()
                        && (newest == null || entry.supersedes(newest))
                ? entry.valueBytes()
                : 0;
    }

    Explanation explanation(Outcome outcome, boolean isRepairDeferred) {
        List<Round> rounds = rounds();
        return new Explanation(
                Reasons.ofRead(electorate, rounds, outcome, isRepairDeferred), rounds);
    }

    /** Frees the answers: late answers keep the round itself reachable. */
    void forget() {
        newest = null;
        if (repair != null) {
            repair.forget();
        }
        trace.forget();
    }

    // ---- How it decides.

    private boolean isDecided() {
        return tracker.outcome() != Decision.PENDING;
    }

    /** Whether a replica that was asked for the entry has yet to answer. */
    private boolean isEntryAwaited() {
        return (askedForEntry & ~tracker.succeededMask() & ~tracker.failedMask()) != 0;
    }

    private void keep(int index, Digest digest) {
        if (digests == null) {
            digests = new Digest[replicas.length];
        }
        digests[index] = digest;
    }

    /**
     * Counts the digests that match the newest entry, or are older. A replica with any other digest
     * will be asked for its entry.
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
                askedForEntry |= bit;
                toAskAgain |= bit;
            }
        }
        return decision;
    }

    private Decision found(int index, Entry entry, boolean hasRoom) {
        long bit = 1L << index;
        Entry held = newest;
        if (held == null || entry.supersedes(held)) {
            if (!hasRoom) {
                return noRoom(index);
            }
            if (held != null && isAlike(entry, held)) {
                holders |= bit;
            } else {
                older |= held == null ? 0 : holders;
                holders = bit;
            }
            newest = entry;
            replacements++;
            newestTimestamp = entry.timestamp();
        } else if (isAlike(entry, held)) {
            holders |= bit;
        } else {
            older |= bit;
        }
        return tracker.succeeded(index);
    }

    /**
     * Whether two entries are equal. If an entry has expired, one replica may return its value and
     * another a tombstone: these are equal. Two writes of one version are not: all replicas must
     * converge to one of them.
     */
    private boolean isAlike(Entry a, Entry b) {
        return a.timestamp().equals(b.timestamp()) && a.hasSameContent(b, begunMillis);
    }

    private Decision failed(int index, Failed failed) {
        trace.replaced(index, failed);
        return tracker.failed(index);
    }

    /**
     * Fails the read: other replicas would send the same value, for which there is no room either.
     */
    private Decision noRoom(int index) {
        Decision decision = failed(index, NO_ROOM);
        for (int i = 0; i < replicas.length && decision == Decision.PENDING; i++) {
            decision = tracker.failed(i);
        }
        return decision;
    }

    private Step reached() {
        boolean differ = holders != tracker.succeededMask();
        if (differ && electorate.isMajority()) {
            Entry entry =
                    Objects.requireNonNull(newest, "without an entry all answers are the same");
            return new Step.Repair(entry, Math.min(copiesOf(entry), electorate.spec().from()));
        }
        return new Step.Answer(Resolver.outcome(newest, begunMillis), differ && !isDeferredRepair);
    }

    /** How many replicas the entry was written for. */
    private int copiesOf(Entry entry) {
        return entry.from() == 0 ? defaultFrom : entry.from();
    }

    private Step unreachable() {
        String shortage = trace.shortage(electorate);
        return new Step.Fail(
                shortage != null
                        ? Outcome.Refused.forNow(shortage)
                        : quorumFailed(trace.names(tracker.succeededMask()), trace.failures()));
    }

    private Step answeredLate(int index, ReplicaAnswer answer) {
        boolean differs =
                switch (answer) {
                    case ReplicaAnswer.Found(Entry entry) ->
                            !entry.timestamp().equals(newestTimestamp);
                    case ReplicaAnswer.Digested(Digest digest) ->
                            !digest.version().equals(newestTimestamp);
                    case ReplicaAnswer.Absent absent -> !newestTimestamp.equals(Timestamp.ZERO);
                    case ReplicaAnswer other -> false;
                };
        tracker.succeeded(index); // ignore further answers of this replica
        return differs && !isDeferredRepair && tracker.outcome() == Decision.REACHED
                ? Step.DeferRepair.DEFER_REPAIR
                : Step.Wait.WAIT;
    }

    private Outcome.QuorumFailed quorumFailed(List<String> answered, List<ReplicaFailure> failed) {
        List<Round> rounds = rounds();
        return new Outcome.QuorumFailed(
                null,
                answered,
                failed,
                new Explanation(Reasons.ofFailedRead(electorate, rounds), rounds));
    }

    private List<Round> rounds() {
        Round read = trace.round(Purpose.READ, null);
        return repair == null || repair.targets().isEmpty()
                ? List.of(read)
                : List.of(read, repair.round());
    }

    private List<Owner> chosen(long mask) {
        List<Owner> chosen = new ArrayList<>();
        for (int i = 0; i < replicas.length; i++) {
            if ((mask & 1L << i) != 0) {
                chosen.add(replicas[i]);
            }
        }
        return chosen;
    }
}
