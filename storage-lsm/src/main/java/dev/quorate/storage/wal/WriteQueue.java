package dev.quorate.storage.wal;

import dev.quorate.storage.Entry;
import dev.quorate.storage.StorageException;
import dev.quorate.storage.WriteCompletion;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The writes that wait for the log, and the admission of new ones. Bounded in bytes: beyond the
 * bound writes are rejected immediately, so that overload is visible early and costs little.
 */
final class WriteQueue {

    /** Whether new writes are admitted, and whether admitted ones are still served. */
    enum Phase {
        OPEN,
        /** Disk full: writes are neither admitted nor served until space is free. */
        FULL,
        /** No more writes are admitted. */
        CLOSING,
        /** No more writes are admitted, and the disk is too full for the admitted ones. */
        CLOSING_FULL,
        FAILED
    }

    /**
     * The state of admission.
     *
     * @param cause the failure of rejected writes; null if writes are admitted
     */
    record Admission(Phase phase, @Nullable StorageException cause) {

        boolean servesQueued() {
            return phase == Phase.OPEN || phase == Phase.CLOSING;
        }
    }

    /**
     * The writes and requests that the log task has taken from the queue.
     *
     * @param firstNanos when the first write arrived, unless they are the rest of an earlier batch
     * @param rolls requests for a new segment
     * @param marks requests to be completed after all writes taken so far, including these
     * @param closing the request to close the log, or null
     */
    record Taken(
            Admission admission,
            ArrayDeque<PendingWrite> writes,
            long firstNanos,
            List<CompletableFuture<@Nullable Void>> rolls,
            List<CompletableFuture<@Nullable Void>> marks,
            @Nullable CompletableFuture<@Nullable Void> closing) {}

    /** The result of {@link #gatherable} if the log task has other work. */
    static final int NOT_NOW = -1;

    private final long maxBytes;
    private final LongSupplier nanoClock;
    private final StorageException overloaded;
    private final AtomicLong bytes = new AtomicLong();

    // Guarded by this, as are the next fields: writers add, the log task takes.
    private Admission admission = new Admission(Phase.OPEN, null);
    private ArrayDeque<PendingWrite> writes = new ArrayDeque<>();

    /** When the first of {@link #writes} arrived: the clock is read once for each group. */
    private long firstNanos;

    private List<CompletableFuture<@Nullable Void>> rolls = new ArrayList<>();
    private List<CompletableFuture<@Nullable Void>> marks = new ArrayList<>();
    private @Nullable CompletableFuture<@Nullable Void> closing;

    /** The size of {@link #writes}, readable without the lock. */
    private volatile int waiting;

    WriteQueue(long maxBytes, LongSupplier nanoClock) {
        this.maxBytes = maxBytes;
        this.nanoClock = nanoClock;
        // Shared, to avoid stack traces under overload.
        this.overloaded =
                new StorageException.Overloaded(
                        "more than " + maxBytes + " bytes of writes are queued");
    }

    /**
     * Admits writes, which are taken together, or rejects all.
     *
     * @return null if admitted, otherwise the cause of the rejection
     */
    @Nullable StorageException offer(List<Entry> entries, WriteCompletion completion) {
        long size = 0;
        for (Entry entry : entries) {
            size += WriteAheadLog.recordBytes(entry);
        }
        long total = bytes.addAndGet(size);
        // Writes larger than the bound are admitted if the queue is empty.
        StorageException rejected = total > maxBytes && total > size ? overloaded : null;
        if (rejected == null) {
            synchronized (this) {
                rejected = admission.cause();
                if (rejected == null) {
                    if (writes.isEmpty()) {
                        firstNanos = nanoClock.getAsLong();
                    }
                    for (Entry entry : entries) {
                        int recordBytes = WriteAheadLog.recordBytes(entry);
                        writes.add(new PendingWrite(entry, completion, recordBytes));
                    }
                    waiting = writes.size();
                    return null;
                }
            }
        }
        bytes.addAndGet(-size);
        return rejected;
    }

    /** Bytes of the writes admitted and not yet {@link #release released}. */
    long bytes() {
        return bytes.get();
    }

    /** Subtracts writes that are committed or rejected from {@link #bytes}. */
    void release(List<PendingWrite> left) {
        long total = 0;
        for (PendingWrite write : left) {
            total += write.recordBytes();
        }
        bytes.addAndGet(-total);
    }

    /** The number of writes not yet taken. */
    int waiting() {
        return waiting;
    }

    /** Like {@link #waiting}; {@link #NOT_NOW} if writes are rejected or other requests wait. */
    synchronized int gatherable() {
        boolean hasRequests = !rolls.isEmpty() || !marks.isEmpty() || closing != null;
        return admission.phase() == Phase.OPEN && !hasRequests ? writes.size() : NOT_NOW;
    }

    synchronized boolean isEmpty() {
        return writes.isEmpty();
    }

    synchronized void reject(StorageException.Full cause) {
        switch (admission.phase()) {
            case OPEN -> admission = new Admission(Phase.FULL, cause);
            case CLOSING -> admission = new Admission(Phase.CLOSING_FULL, cause);
            case FULL, CLOSING_FULL, FAILED -> {}
        }
    }

    synchronized void accept() {
        if (admission.phase() == Phase.FULL) {
            admission = new Admission(Phase.OPEN, null);
        }
    }

    /** Permanently rejects writes; returns whether this was the first failure. */
    synchronized boolean fail(StorageException cause) {
        boolean first = admission.phase() != Phase.FAILED;
        if (first) {
            admission = new Admission(Phase.FAILED, cause);
        }
        return first;
    }

    synchronized CompletableFuture<@Nullable Void> requestRoll() {
        return addTo(rolls);
    }

    synchronized CompletableFuture<@Nullable Void> requestMark() {
        return addTo(marks);
    }

    private static CompletableFuture<@Nullable Void> addTo(
            List<CompletableFuture<@Nullable Void>> requests) {
        CompletableFuture<@Nullable Void> request = new CompletableFuture<>();
        requests.add(request);
        return request;
    }

    synchronized CompletableFuture<@Nullable Void> close(StorageException toLaterWrites) {
        CompletableFuture<@Nullable Void> done = new CompletableFuture<>();
        closing = done;
        switch (admission.phase()) {
            case OPEN -> admission = new Admission(Phase.CLOSING, toLaterWrites);
            case FULL -> admission = new Admission(Phase.CLOSING_FULL, toLaterWrites);
            case CLOSING, CLOSING_FULL, FAILED -> {}
        }
        return done;
    }

    /**
     * Takes the waiting writes and requests.
     *
     * @param left the rest of the writes taken before; if not empty, no more writes or marks are
     *     taken
     */
    synchronized Taken take(ArrayDeque<PendingWrite> left) {
        ArrayDeque<PendingWrite> taken = left;
        List<CompletableFuture<@Nullable Void>> takenMarks = List.of();
        if (left.isEmpty()) {
            taken = writes;
            writes = left;
            waiting = 0;
            if (!marks.isEmpty()) {
                takenMarks = marks;
                marks = new ArrayList<>();
            }
        }
        List<CompletableFuture<@Nullable Void>> takenRolls = List.of();
        if (!rolls.isEmpty()) {
            takenRolls = rolls;
            rolls = new ArrayList<>();
        }
        return new Taken(admission, taken, firstNanos, takenRolls, takenMarks, closing);
    }
}
