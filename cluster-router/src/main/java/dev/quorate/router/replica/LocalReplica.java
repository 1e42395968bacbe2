package dev.quorate.router.replica;

import dev.quorate.router.clock.HybridClock;
import dev.quorate.router.conditional.Question;
import dev.quorate.router.message.AnswerCallback;
import dev.quorate.router.message.Digest;
import dev.quorate.router.message.ReplicaAnswer;
import dev.quorate.router.message.ReplicaAnswer.Failed;
import dev.quorate.router.message.ReplicaAnswer.Failure;
import dev.quorate.router.message.ReplicaRequest;
import dev.quorate.router.runtime.Deadlines;
import dev.quorate.router.runtime.Ticker;
import dev.quorate.router.topology.Member;
import dev.quorate.storage.Entry;
import dev.quorate.storage.EntryCursor;
import dev.quorate.storage.KeyValueStore;
import dev.quorate.storage.Lookup;
import dev.quorate.storage.StorageException;
import dev.quorate.storage.Timestamp;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * This node's replica, which serves its own coordinator and the other nodes.
 *
 * <p>A read whose pages are in memory is answered on the calling thread. A read that waits for the
 * disk, and every page of a scan, runs on the read executor; if its queue is full, the answer is
 * {@link Failure#OVERLOADED}. A write is answered on the thread of the store's completion. The
 * deadline applies to every answer, as with a remote replica.
 */
public final class LocalReplica implements Replica {

    /** Maximum bytes of keys and values in a page of a scan, whatever the request allows. */
    public static final int MAX_PAGE_BYTES = 1 << 20;

    /** Approximate heap of an entry in addition to its bytes, so that tombstones are not free. */
    private static final int ENTRY_OVERHEAD_BYTES = 100;

    /** Approximate maximum time for a page, however many tombstones it skips. */
    private static final long MAX_PAGE_NANOS = 100_000_000;

    private static final Failed TOO_MANY_READS =
            new Failed(Failure.OVERLOADED, "too many reads wait for the disk");

    private static final Failed NO_RECORDS =
            new Failed(Failure.REFUSED, "this replica keeps no records of conditional writes");

    private static final Failed KEY_TOO_LONG =
            new Failed(Failure.REFUSED, "the key is too long for a conditional write");

    private static final Failed VERSION_TAKEN =
            new Failed(
                    Failure.VERSION_TAKEN,
                    "the key holds something else under the version that was given");

    private final Member member;
    private final KeyValueStore store;
    private final HybridClock clock;
    private final Ticker ticker;
    private final Deadlines deadlines;
    private final Executor blockingReads;
    private final Executor largeReads;
    private final MemberServices services;
    private final GivenVersions givenVersions;

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
        this.member = member;
        this.store = store;
        this.clock = clock;
        this.ticker = ticker;
        this.deadlines = deadlines;
        this.blockingReads = blockingReads;
        this.largeReads = blockingReads;
        this.services = services;
        this.givenVersions = new GivenVersions();
        this.acceptor = null;
    }

    private LocalReplica(
            LocalReplica other,
            Executor blockingReads,
            Executor largeReads,
            @Nullable Acceptor acceptor) {
        this.member = other.member;
        this.store = other.store;
        this.clock = other.clock;
        this.ticker = other.ticker;
        this.deadlines = other.deadlines;
        this.blockingReads = blockingReads;
        this.largeReads = largeReads;
        this.services = other.services;
        this.givenVersions = other.givenVersions;
        this.acceptor = acceptor;
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
            KeyValueStore records, RecordedWrite both, Duration kept, Duration longestWrite) {
        Acceptor withRecords =
                new Acceptor(
                        new Acceptor.Keyspaces(store, records, both),
                        new RecordStore(kept),
                        services.horizon(),
                        longestWrite,
                        clock,
                        blockingReads);
        return new LocalReplica(this, blockingReads, largeReads, withRecords);
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
        return new LocalReplica(this, others, largeReads, acceptor);
    }

    /**
     * This replica with another executor for reads of values of more than {@link
     * Lookup#MAX_RESIDENT_BYTES}, such as one that runs one read at a time: each read loads the
     * value into memory before the budget is checked.
     */
    public LocalReplica readingLargeBy(Executor others) {
        return new LocalReplica(this, blockingReads, others, acceptor);
    }

    @Override
    public Member member() {
        return member;
    }

    @Override
    public void ask(ReplicaRequest request, long deadlineNanos, AnswerCallback callback) {
        if (isPast(deadlineNanos)) {
            callback.answered(tooLate());
            return;
        }
        switch (request) {
            case ReplicaRequest.Traced traced -> ask(traced.request(), deadlineNanos, callback);
            case ReplicaRequest.Read read -> read(read.key(), false, deadlineNanos, callback);
            case ReplicaRequest.ReadDigest read -> read(read.key(), true, deadlineNanos, callback);
            case ReplicaRequest.Write write -> write(write, deadlineNanos, callback);
            case ReplicaRequest.ScanPage page ->
                    readBlocking(
                            () ->
                                    page(
                                            store.scan(page.start(), page.end(), page.order()),
                                            page.maxBytes(),
                                            true),
                            deadlineNanos,
                            callback);
            case ReplicaRequest.ScanReadable page ->
                    readBlocking(
                            services.executor(),
                            () ->
                                    page(
                                            store.scanReadable(page.start(), page.end()),
                                            page.maxBytes(),
                                            false),
                            deadlineNanos,
                            callback);
            case ReplicaRequest.Compare compare ->
                    readBlocking(
                            services.executor(),
                            () -> services.requests().compare(compare),
                            deadlineNanos,
                            callback);
            case ReplicaRequest.StreamPage give ->
                    readBlocking(
                            services.executor(),
                            () -> services.requests().streamPage(give),
                            deadlineNanos,
                            callback);
            case ReplicaRequest.StreamRecords give ->
                    readBlocking(
                            services.executor(),
                            () -> services.requests().streamRecords(give),
                            deadlineNanos,
                            callback);
            case ReplicaRequest.Inquire inquire ->
                    readBlocking(
                            () -> services.inquirer().inquire(inquire.key()),
                            deadlineNanos,
                            callback);
            case ReplicaRequest.Announce announce ->
                    callback.answered(services.requests().announce(announce));
            case ReplicaRequest.ToAcceptor asked -> askAcceptor(asked, deadlineNanos, callback);
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
            acceptor.ask(asked, pending);
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
                what
                        + " is "
                        + clock.aheadMillis(timestamp.madeAt())
                        + " ms ahead of this node's clock");
    }

    private void read(byte[] key, boolean digest, long deadlineNanos, AnswerCallback callback) {
        ReplicaAnswer answer;
        try {
            switch (store.lookupResident(key)) {
                case Lookup.Found found -> answer = found(found.entry(), digest);
                case Lookup.Absent absent -> answer = ReplicaAnswer.Absent.ABSENT;
                case Lookup.NotResident notResident -> {
                    readBlocking(
                            notResident == Lookup.NotResident.TOO_LONG ? largeReads : blockingReads,
                            () -> lookup(key, digest),
                            deadlineNanos,
                            callback);
                    return;
                }
            }
        } catch (StorageException e) {
            answer = StoreFailures.of(e);
        }
        callback.answered(answer);
    }

    private ReplicaAnswer lookup(byte[] key, boolean digest) {
        return switch (store.lookup(key)) {
            case Lookup.Found found -> found(found.entry(), digest);
            case Lookup.Absent absent -> ReplicaAnswer.Absent.ABSENT;
            case Lookup.NotResident notResident ->
                    throw new IllegalStateException("the store did not wait for the disk");
        };
    }

    /**
     * A tombstone below the GC watermark may be dropped on one replica and not yet on another: so
     * it is answered as absent.
     */
    private ReplicaAnswer found(Entry entry, boolean digest) {
        if (isCollected(entry)) {
            return ReplicaAnswer.Absent.ABSENT;
        }
        return digest && entry.valueBytes() > Digest.SHORT_VALUE_BYTES
                ? new ReplicaAnswer.Digested(Digest.of(entry))
                : new ReplicaAnswer.Found(entry);
    }

    private boolean isCollected(Entry entry) {
        return entry.isTombstone()
                && entry.timestamp().wallMillis() < services.horizon().gcWatermarkMillis();
    }

    /**
     * A page that runs out of time ends with the tombstone that it has reached, although replicas
     * may have dropped it: the reader continues after its key.
     *
     * @param cuts whether to omit a value longer than the page, for readers that would otherwise
     *     get a copy from each replica
     */
    private ReplicaAnswer page(EntryCursor scan, int wantedBytes, boolean cuts) {
        int maxBytes = Math.min(wantedBytes, MAX_PAGE_BYTES);
        List<Entry> entries = new ArrayList<>();
        long bytes = 0;
        long startedNanos = ticker.nanos();
        try (EntryCursor cursor = scan) {
            for (int passed = 1; cursor.next(); passed++) {
                Entry entry = cursor.entry();
                boolean isOver =
                        passed % 64 == 0 && ticker.nanos() - startedNanos >= MAX_PAGE_NANOS;
                if (cuts && entry.valueBytes() > maxBytes) {
                    entries.add(withoutValue(entry));
                    return new ReplicaAnswer.Page(entries, false, true);
                }
                if (isOver || !isCollected(entry)) {
                    bytes += entry.dataBytes() + ENTRY_OVERHEAD_BYTES;
                    if (bytes > maxBytes && !entries.isEmpty()) {
                        return new ReplicaAnswer.Page(entries, false);
                    }
                    entries.add(entry);
                }
                if (isOver) {
                    return new ReplicaAnswer.Page(entries, false);
                }
            }
        }
        return new ReplicaAnswer.Page(entries, true);
    }

    private static Entry withoutValue(Entry entry) {
        return Entry.expiring(
                        entry.key(),
                        entry.timestamp(),
                        new byte[0],
                        entry.from(),
                        entry.expiresAtMillis())
                .withContentType(entry.contentType());
    }

    private void readBlocking(BlockingRead read, long deadlineNanos, AnswerCallback callback) {
        readBlocking(blockingReads, read, deadlineNanos, callback);
    }

    private void readBlocking(
            Executor executor, BlockingRead read, long deadlineNanos, AnswerCallback callback) {
        PendingAnswer pending = new PendingAnswer(deadlineNanos, callback);
        try {
            executor.execute(() -> complete(pending, read));
        } catch (RejectedExecutionException full) {
            pending.complete(TOO_MANY_READS);
            return;
        }
        watch(pending);
    }

    private void complete(PendingAnswer pending, BlockingRead read) {
        if (pending.isComplete() || isPast(pending.deadlineNanos())) {
            pending.complete(tooLate());
            return;
        }
        ReplicaAnswer answer;
        try {
            answer = read.answer();
        } catch (StorageException e) {
            answer = StoreFailures.of(e);
        }
        pending.complete(answer);
    }

    private void write(ReplicaRequest.Write write, long deadlineNanos, AnswerCallback callback) {
        Entry entry = write.entry();
        if (!clock.observe(entry.timestamp())) {
            callback.answered(aheadOfClock("the entry", entry.timestamp()));
            return;
        }
        if (write.origin() != ReplicaRequest.Origin.COPY && isTooOld(entry.timestamp().root())) {
            callback.answered(
                    new Failed(
                            Failure.TOO_OLD,
                            "the entry was stamped at "
                                    + Instant.ofEpochMilli(entry.timestamp().wallMillis())
                                    + ", and a newer tombstone may have been dropped"));
            return;
        }
        switch (write.origin()) {
            case STAMPED, COPY -> {
                QueuedWrite pending = new QueuedWrite(deadlineNanos, callback, () -> {});
                store(entry, pending);
                watch(pending);
            }
            case GIVEN -> storeUnlessTaken(entry, deadlineNanos, callback);
        }
    }

    private void store(Entry entry, QueuedWrite pending) {
        pending.submitting();
        store.write(entry, pending);
        pending.taken();
    }

    /** Stores an entry unless another value has the given version. */
    private void storeUnlessTaken(Entry entry, long deadlineNanos, AnswerCallback callback) {
        if (!givenVersions.enter(entry, ticker.wallMillis())) {
            callback.answered(VERSION_TAKEN);
            return;
        }
        QueuedWrite pending =
                new QueuedWrite(deadlineNanos, callback, () -> givenVersions.leave(entry));
        try {
            Lookup resident = store.lookupResident(entry.key());
            Lookup record = acceptor == null ? Lookup.Absent.ABSENT : acceptor.residentFate(entry);
            if (resident instanceof Lookup.NotResident || record instanceof Lookup.NotResident) {
                blockingReads.execute(() -> lookUpAndStore(entry, pending));
            } else {
                storeUnlessTaken(resident, record, entry, pending);
            }
        } catch (StorageException e) {
            pending.refuse(StoreFailures.of(e));
        } catch (RejectedExecutionException full) {
            pending.refuse(TOO_MANY_READS);
        }
        watch(pending);
    }

    private void lookUpAndStore(Entry entry, QueuedWrite pending) {
        if (pending.isComplete() || isPast(pending.deadlineNanos())) {
            pending.refuse(tooLate());
            return;
        }
        Lookup held;
        Lookup record;
        try {
            held = store.lookup(entry.key());
            record = acceptor == null ? Lookup.Absent.ABSENT : acceptor.fate(entry);
        } catch (StorageException e) {
            pending.refuse(StoreFailures.of(e));
            return;
        }
        storeUnlessTaken(held, record, entry, pending);
    }

    /**
     * @param record the record of a conditional write with the entry's version
     */
    private void storeUnlessTaken(Lookup held, Lookup record, Entry entry, QueuedWrite pending) {
        boolean isTaken =
                held instanceof Lookup.Found(Entry other)
                        && other.timestamp().equals(entry.timestamp())
                        && !other.hasSameContent(entry, ticker.wallMillis());
        if (isTaken || record instanceof Lookup.Found) {
            pending.refuse(VERSION_TAKEN);
        } else {
            store(entry, pending);
        }
    }

    private boolean isTooOld(Timestamp timestamp) {
        long nowMillis = clock.readingMillis();
        return timestamp.wallMillis() < services.horizon().oldestWriteMillis(nowMillis);
    }

    private void watch(PendingAnswer pending) {
        if (!pending.isComplete()) {
            deadlines.watch(pending);
        }
    }

    private boolean isPast(long deadlineNanos) {
        return ticker.nanos() - deadlineNanos >= 0;
    }

    private static Failed tooLate() {
        return new Failed(Failure.TIMEOUT, "the deadline had passed before it was begun");
    }

    /** A read that may wait for the disk. */
    @FunctionalInterface
    private interface BlockingRead {
        ReplicaAnswer answer();
    }
}
