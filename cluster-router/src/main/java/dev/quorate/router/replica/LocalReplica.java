package dev.quorate.router.replica;

import dev.quorate.router.clock.HybridClock;
import dev.quorate.router.conditional.Question;
import dev.quorate.router.message.AnswerCallback;
import dev.quorate.router.message.ReplicaAnswer;
import dev.quorate.router.message.ReplicaAnswer.Failed;
import dev.quorate.router.message.ReplicaAnswer.Failure;
import dev.quorate.router.message.ReplicaRequest;
import dev.quorate.router.runtime.Deadlines;
import dev.quorate.router.runtime.Ticker;
import dev.quorate.router.topology.LiveTopology;
import dev.quorate.router.topology.Member;
import dev.quorate.storage.Entry;
import dev.quorate.storage.KeyValueStore;
import dev.quorate.storage.Lookup;
import dev.quorate.storage.Timestamp;
import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * This node's replica, which serves its own coordinator and the other nodes.
 *
 * <p>{@link LocalReads} answers reads. A write is answered on the thread of the store's completion.
 * The deadline applies to every answer, as with a remote replica.
 */
public final class LocalReplica implements Replica {

    /** Maximum bytes of keys and values in a page of a scan, whatever the request allows. */
    public static final int MAX_PAGE_BYTES = 1 << 20;

    private static final Failed NO_RECORDS =
            new Failed(Failure.REFUSED, "this replica keeps no records of conditional writes");

    private static final Failed BEHIND =
            new Failed(Failure.OVERLOADED, "requests of an earlier epoch are in progress");

    private static final Failed KEY_TOO_LONG =
            new Failed(Failure.REFUSED, "the key is too long for a conditional write");

    private final Member member;
    private final HybridClock clock;
    private final LocalReads reads;
    private final GivenVersions givenVersions;
    private final GivenWrites givenWrites;

    /** Null in a replica without records. */
    private final @Nullable Acceptor acceptor;

    /**
     * @param blockingReads runs reads that wait for the disk; throws {@link
     *     RejectedExecutionException} when it is full
     */
    public LocalReplica(
            Member member,
            KeyValueStore store,
            HybridClock clock,
            Ticker ticker,
            Deadlines deadlines,
            Executor blockingReads,
            MemberServices services) {
        this(
                member,
                clock,
                new LocalReads(store, ticker, deadlines, services, blockingReads, blockingReads),
                new GivenVersions(),
                null);
    }

    private LocalReplica(
            Member member,
            HybridClock clock,
            LocalReads reads,
            GivenVersions givenVersions,
            @Nullable Acceptor acceptor) {
        this.member = member;
        this.clock = clock;
        this.reads = reads;
        this.givenVersions = givenVersions;
        this.acceptor = acceptor;
        this.givenWrites = new GivenWrites(reads, givenVersions, acceptor);
    }

    /**
     * This replica with records of conditional writes.
     *
     * @param records a keyspace of the same store
     * @param both writes to both keyspaces
     * @param kept the time from a record's ballot to its expiry
     * @param longestWrite the maximum duration of a client's write
     */
    public LocalReplica withRecords(
            KeyValueStore records,
            RecordedWrite both,
            Duration kept,
            Duration longestWrite,
            LiveTopology topology) {
        Acceptor withRecords =
                new Acceptor(
                        new Acceptor.Keyspaces(reads.store(), records, both),
                        new RecordStore(kept),
                        reads.services().horizon(),
                        longestWrite,
                        clock,
                        reads.blockingReads(),
                        new EpochCounts(topology));
        return new LocalReplica(member, clock, reads, givenVersions, withRecords);
    }

    /**
     * Notes durably whether the entry of a key has superseded the proposal that this replica
     * accepted last. Required before the entry may be dropped.
     *
     * @param from how many members own the key
     */
    public void note(byte[] key, int from, Consumer<RecordNote> whenNoted) {
        if (acceptor == null) {
            whenNoted.accept(RecordNote.DECIDED);
        } else {
            acceptor.note(key, from, whenNoted);
        }
    }

    /**
     * Notes durably that entries or records of this node are about to be healed: an entry that
     * superseded an accepted value may be lost here, and dropped by all other replicas.
     *
     * @param whenNoted receives whether this was noted
     */
    public void noteHealing(Consumer<Boolean> whenNoted) {
        if (acceptor == null) {
            whenNoted.accept(true);
        } else {
            acceptor.noteHealing(whenNoted);
        }
    }

    /** This replica with another executor for reads that wait for the disk. */
    public LocalReplica readingBy(Executor others) {
        return new LocalReplica(
                member, clock, reads.by(others, reads.largeReads()), givenVersions, acceptor);
    }

    /**
     * This replica with another executor for reads of values of more than {@link
     * Lookup#MAX_RESIDENT_BYTES}, such as one that runs one read at a time: each read loads the
     * value into memory before the budget is checked.
     */
    public LocalReplica readingLargeBy(Executor others) {
        return new LocalReplica(
                member, clock, reads.by(reads.blockingReads(), others), givenVersions, acceptor);
    }

    @Override
    public Member member() {
        return member;
    }

    @Override
    public void ask(ReplicaRequest request, long deadlineNanos, AnswerCallback callback) {
        if (reads.ticker().nanos() - deadlineNanos >= 0) {
            callback.answered(LocalReads.tooLate());
            return;
        }
        switch (request) {
            case ReplicaRequest.Traced traced -> ask(traced.request(), deadlineNanos, callback);
            case ReplicaRequest.Read read -> reads.read(read.key(), false, deadlineNanos, callback);
            case ReplicaRequest.ReadDigest read ->
                    reads.read(read.key(), true, deadlineNanos, callback);
            case ReplicaRequest.Watch watch -> reads.watch(watch, deadlineNanos, callback);
            case ReplicaRequest.Changed changed -> {
                requests().changed(changed);
                callback.answered(ReplicaAnswer.Absent.ABSENT);
            }
            case ReplicaRequest.Write write -> write(write, deadlineNanos, callback);
            case ReplicaRequest.ScanPage page ->
                    reads.answer(
                            reads.blockingReads(), () -> reads.page(page), deadlineNanos, callback);
            case ReplicaRequest.Inquire inquire ->
                    reads.answer(
                            reads.blockingReads(),
                            () -> reads.services().inquirer().apply(inquire.key()),
                            deadlineNanos,
                            callback);
            case ReplicaRequest.ScanReadable page ->
                    answerInBackground(() -> reads.page(page), deadlineNanos, callback);
            case ReplicaRequest.Compare compare ->
                    answerComplete(() -> requests().compare(compare), deadlineNanos, callback);
            case ReplicaRequest.StreamPage give ->
                    answerComplete(() -> requests().streamPage(give), deadlineNanos, callback);
            case ReplicaRequest.StreamRecords give ->
                    answerComplete(() -> requests().streamRecords(give), deadlineNanos, callback);
            case ReplicaRequest.Announce announce ->
                    callback.answered(requests().announce(announce));
            case ReplicaRequest.Propose asked -> requests().propose(asked, callback);
            case ReplicaRequest.Tell told -> requests().tell(told, callback);
            case ReplicaRequest.ToAcceptor asked -> askAcceptor(asked, deadlineNanos, callback);
        }
    }

    private PeerRequestHandler requests() {
        return reads.services().requests();
    }

    private void answerInBackground(
            Supplier<ReplicaAnswer> read, long deadlineNanos, AnswerCallback callback) {
        reads.answer(reads.services().executor(), read, deadlineNanos, callback);
    }

    /** Answers from a store that contains whatever this replica took in earlier epochs. */
    private void answerComplete(
            Supplier<ReplicaAnswer> read, long deadlineNanos, AnswerCallback callback) {
        if (acceptor != null && acceptor.isBehind()) {
            callback.answered(BEHIND);
        } else {
            answerInBackground(read, deadlineNanos, callback);
        }
    }

    private void askAcceptor(
            ReplicaRequest.ToAcceptor asked, long deadlineNanos, AnswerCallback callback) {
        Timestamp ballot = asked.question().ballot();
        Timestamp chosen = chosen(asked.question());
        if (acceptor == null) {
            callback.answered(NO_RECORDS);
        } else if (asked.key().length > RecordStore.MAX_KEY_BYTES) {
            callback.answered(KEY_TOO_LONG);
        } else if (!clock.observe(ballot)) {
            callback.answered(aheadOfClock("the ballot", ballot));
        } else if (chosen != null && !clock.observe(chosen)) {
            callback.answered(aheadOfClock("the entry", chosen));
        } else {
            PendingAnswer pending = new PendingAnswer(deadlineNanos, callback);
            acceptor.ask(asked, callback.topology(), pending);
            watch(pending);
        }
    }

    /** The version of an entry that this replica may store with its answer; null for none. */
    private static @Nullable Timestamp chosen(Question question) {
        return question instanceof Question.Accept accept && accept.decides()
                ? accept.proposal().result()
                : null;
    }

    private Failed aheadOfClock(String what, Timestamp timestamp) {
        return new Failed(
                Failure.REFUSED,
                "%s is %s ms ahead of this node's clock"
                        .formatted(what, clock.aheadMillis(timestamp.madeAt())));
    }

    private void write(ReplicaRequest.Write write, long deadlineNanos, AnswerCallback callback) {
        Entry entry = write.entry();
        if (!clock.observe(entry.timestamp())) {
            callback.answered(aheadOfClock("the entry", entry.timestamp()));
            return;
        }
        long oldestMillis = reads.services().horizon().oldestWriteMillis(clock.readingMillis());
        if (write.origin() != ReplicaRequest.Origin.COPY
                && entry.timestamp().root().wallMillis() < oldestMillis) {
            callback.answered(
                    new Failed(
                            Failure.TOO_OLD,
                            "the entry was stamped at "
                                    + Timestamp.time(entry.timestamp().wallMillis())
                                    + ", and a newer tombstone may have been dropped"));
            return;
        }
        switch (write.origin()) {
            case STAMPED, COPY -> {
                QueuedWrite pending = new QueuedWrite(deadlineNanos, callback, () -> {});
                pending.submitTo(reads.store(), entry);
                watch(pending);
            }
            case GIVEN -> {
                QueuedWrite pending = givenWrites.store(entry, deadlineNanos, callback);
                if (pending != null) {
                    watch(pending);
                }
            }
        }
    }

    private void watch(PendingAnswer pending) {
        if (!pending.isComplete()) {
            reads.deadlines().watch(pending);
        }
    }
}
