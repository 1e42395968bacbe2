package dev.quorate.router.replica;

import dev.quorate.router.message.AnswerCallback;
import dev.quorate.router.message.Digest;
import dev.quorate.router.message.ReplicaAnswer;
import dev.quorate.router.message.ReplicaAnswer.Failed;
import dev.quorate.router.message.ReplicaAnswer.Failure;
import dev.quorate.router.message.ReplicaRequest;
import dev.quorate.router.runtime.Deadlines;
import dev.quorate.router.runtime.Ticker;
import dev.quorate.storage.Entry;
import dev.quorate.storage.EntryCursor;
import dev.quorate.storage.KeyValueStore;
import dev.quorate.storage.Lookup;
import dev.quorate.storage.StorageException;
import dev.quorate.storage.UnreadValue;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The reads of this node's replica. A read whose pages are in memory is answered on the calling
 * thread. A read that waits for the disk, and every page of a scan, runs on an executor.
 */
record LocalReads(
        KeyValueStore store,
        Ticker ticker,
        Deadlines deadlines,
        MemberServices services,
        Executor blockingReads,
        Executor largeReads) {

    /** Approximate heap of an entry in addition to its bytes, so that tombstones are not free. */
    private static final int ENTRY_OVERHEAD_BYTES = 100;

    /** Approximate maximum time for a page, however many tombstones it skips. */
    private static final long MAX_PAGE_NANOS = 100_000_000;

    static final Failed TOO_MANY =
            new Failed(Failure.OVERLOADED, "too many reads wait for the disk");

    private static final Failed TOO_MANY_WAITS =
            new Failed(Failure.OVERLOADED, "too many waits for changes are registered");

    /** These reads by other executors. */
    LocalReads by(Executor blocking, Executor large) {
        return new LocalReads(store, ticker, deadlines, services, blocking, large);
    }

    /** Answers with the entry of a key, or with its digest if that is shorter. */
    void read(byte[] key, boolean digest, long deadlineNanos, AnswerCallback callback) {
        ReplicaAnswer answer;
        try {
            switch (store.lookupResident(key)) {
                case Lookup.Found found -> answer = found(found.entry(), digest);
                case Lookup.Absent absent -> answer = ReplicaAnswer.Absent.ABSENT;
                case Lookup.NotResident notResident -> {
                    answer(
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

    /** Registers before it reads: a write that the answer lacks finds the registration. */
    void watch(ReplicaRequest.Watch watch, long deadlineNanos, AnswerCallback callback) {
        boolean isTaken = services.requests().watch(watch);
        if (watch.isPrefix() && isTaken) {
            callback.answered(new ReplicaAnswer.Counted(services.requests().position(watch.key())));
        } else if (watch.millis() == 0) {
            callback.answered(ReplicaAnswer.Absent.ABSENT);
        } else if (isTaken) {
            read(watch.key(), true, deadlineNanos, callback);
        } else {
            callback.answered(TOO_MANY_WAITS);
        }
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

    ReplicaAnswer page(ReplicaRequest.ScanPage page) {
        EntryCursor scan = store.scan(page.start(), page.end(), page.order());
        return page(scan, page.maxBytes(), true, page.keysOnly());
    }

    ReplicaAnswer page(ReplicaRequest.ScanReadable page) {
        return page(store.scanReadable(page.start(), page.end()), page.maxBytes(), false, false);
    }

    /**
     * A page that runs out of time ends with the tombstone that it has reached, although replicas
     * may have dropped it: the reader continues after its key.
     *
     * @param cuts whether to omit a value longer than the page, for readers that would otherwise
     *     get a copy from each replica
     * @param keysOnly whether to omit all values
     */
    private ReplicaAnswer page(EntryCursor scan, int wantedBytes, boolean cuts, boolean keysOnly) {
        int maxBytes = Math.min(wantedBytes, LocalReplica.MAX_PAGE_BYTES);
        List<Entry> entries = new ArrayList<>();
        long bytes = 0;
        long startedNanos = ticker.nanos();
        try (EntryCursor cursor = scan) {
            for (int passed = 1; cursor.next(); passed++) {
                UnreadValue unread = cursor.unreadValue();
                int length = unread == null ? cursor.entry().valueBytes() : unread.bytes();
                boolean isCut = cuts && !keysOnly && length > maxBytes;
                Entry entry = keysOnly || isCut ? withoutValue(cursor, unread) : cursor.entry();
                boolean isOver =
                        passed % 64 == 0 && ticker.nanos() - startedNanos >= MAX_PAGE_NANOS;
                if (isCut) {
                    entries.add(entry);
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

    /** A long value is not read: over many of them a page would take its time for nothing. */
    private static Entry withoutValue(EntryCursor cursor, @Nullable UnreadValue unread) {
        if (unread == null && cursor.entry().isTombstone()) {
            return cursor.entry();
        }
        UnreadValue value = unread == null ? UnreadValue.of(cursor.entry()) : unread;
        return Entry.expiring(
                        cursor.key(),
                        cursor.timestamp(),
                        new byte[0],
                        value.from(),
                        value.expiresAtMillis())
                .withContentType(value.contentType());
    }

    /**
     * Answers by a read that may wait for the disk, on the executor; if that is full, with {@link
     * Failure#OVERLOADED}.
     */
    void answer(
            Executor executor,
            Supplier<ReplicaAnswer> read,
            long deadlineNanos,
            AnswerCallback callback) {
        PendingAnswer pending = new PendingAnswer(deadlineNanos, callback);
        try {
            executor.execute(() -> complete(pending, read));
        } catch (RejectedExecutionException full) {
            pending.complete(TOO_MANY);
            return;
        }
        if (!pending.isComplete()) {
            deadlines.watch(pending);
        }
    }

    private void complete(PendingAnswer pending, Supplier<ReplicaAnswer> read) {
        if (pending.isComplete() || ticker.nanos() - pending.deadlineNanos() >= 0) {
            pending.complete(tooLate());
            return;
        }
        ReplicaAnswer answer;
        try {
            answer = read.get();
        } catch (StorageException e) {
            answer = StoreFailures.of(e);
        }
        pending.complete(answer);
    }

    static Failed tooLate() {
        return new Failed(Failure.TIMEOUT, "the deadline had passed before it was begun");
    }
}
