package dev.quorate.storage.wal;

import dev.quorate.storage.Entry;
import dev.quorate.storage.StorageException;
import dev.quorate.storage.WriteCompletion;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * What waits for the log, and whether more is let in. Bounded in bytes: beyond the bound writes are
 * refused at once, so that overload shows early and costs little.
 */
final class WriteQueue {

    /** Whether writes are let in, and whether those let in are still served. */
    enum Phase {
        OPEN,
        /** No space: nothing is let in or served, until there is. */
        FULL,
        /** Nothing more is let in. */
        CLOSING,
        /** Nothing more is let in, and there is no space for what was. */
        CLOSING_FULL,
        /** For good. */
        BROKEN
    }

    /**
     * What the queue does with writes.
     *
     * @param cause what a write is told that is not let in; null if it is
     */
    record Admission(Phase phase, @Nullable StorageException cause) {

        boolean servesQueued() {
            return phase == Phase.OPEN || phase == Phase.CLOSING;
        }
    }

    /**
     * What the log task found when it looked.
     *
     * @param rolls who asked for a new segment
     * @param marks who asked when the writes before are through; these writes, and those taken
     *     earlier, are all that were before
     * @param closing who asked for the end of the log, or null
     */
    record Taken(
            Admission admission,
            ArrayDeque<PendingWrite> writes,
            List<CompletableFuture<@Nullable Void>> rolls,
            List<CompletableFuture<@Nullable Void>> marks,
            @Nullable CompletableFuture<@Nullable Void> closing) {}

    private final long maxBytes;
    private final StorageException overloaded;
    private final AtomicLong bytes = new AtomicLong();

    /** Guards the fields below: writers add, the log task takes. */
    private final Object lock = new Object();

    private Admission admission = new Admission(Phase.OPEN, null);
    private ArrayDeque<PendingWrite> writes = new ArrayDeque<>();
    private List<CompletableFuture<@Nullable Void>> rolls = new ArrayList<>();
    private List<CompletableFuture<@Nullable Void>> marks = new ArrayList<>();
    private @Nullable CompletableFuture<@Nullable Void> closing;

    /** As many as there are in {@link #writes}, for who looks without the lock. */
    private volatile int waiting;

    WriteQueue(long maxBytes) {
        this.maxBytes = maxBytes;
        // One for all: under overload there is no time to fill in stack traces.
        this.overloaded =
                new StorageException.Overloaded(
                        "more than " + maxBytes + " bytes of writes are queued");
    }

    /**
     * Lets a write in.
     *
     * @return null, or what it is to be told instead
     */
    @Nullable StorageException offer(Entry entry, WriteCompletion completion) {
        int size = WriteAheadLog.recordBytes(entry);
        long total = bytes.addAndGet(size);
        // A write larger than the bound is let in when it is alone.
        StorageException refused = total > maxBytes && total > size ? overloaded : null;
        if (refused == null) {
            synchronized (lock) {
                refused = admission.cause();
                if (refused == null) {
                    writes.add(new PendingWrite(entry, completion, size));
                    waiting = writes.size();
                    return null;
                }
            }
        }
        bytes.addAndGet(-size);
        return refused;
    }

    /** Bytes of the writes let in and not yet {@link #release released}. */
    long bytes() {
        return bytes.get();
    }

    /** Writes that were let in have left the log behind them, or were refused. */
    void release(List<PendingWrite> left) {
        long total = 0;
        for (PendingWrite write : left) {
            total += write.recordBytes();
        }
        bytes.addAndGet(-total);
    }

    /** Writes that wait to be taken. */
    int waiting() {
        return waiting;
    }

    /** The same; {@link Gathering#NOT_NOW} if they are refused, or something else was asked for. */
    int gatherable() {
        synchronized (lock) {
            boolean isAsked = !rolls.isEmpty() || !marks.isEmpty() || closing != null;
            return admission.phase() == Phase.OPEN && !isAsked ? writes.size() : Gathering.NOT_NOW;
        }
    }

    /** Whether nothing waits to be taken. */
    boolean isEmpty() {
        synchronized (lock) {
            return writes.isEmpty();
        }
    }

    void refuse(StorageException.Full cause) {
        synchronized (lock) {
            switch (admission.phase()) {
                case OPEN -> admission = new Admission(Phase.FULL, cause);
                case CLOSING -> admission = new Admission(Phase.CLOSING_FULL, cause);
                case FULL, CLOSING_FULL, BROKEN -> {}
            }
        }
    }

    void accept() {
        synchronized (lock) {
            if (admission.phase() == Phase.FULL) {
                admission = new Admission(Phase.OPEN, null);
            }
        }
    }

    /** Whether this was the first time. */
    boolean breakOff(StorageException cause) {
        synchronized (lock) {
            boolean first = admission.phase() != Phase.BROKEN;
            if (first) {
                admission = new Admission(Phase.BROKEN, cause);
            }
            return first;
        }
    }

    CompletableFuture<@Nullable Void> requestRoll() {
        CompletableFuture<@Nullable Void> request = new CompletableFuture<>();
        synchronized (lock) {
            rolls.add(request);
        }
        return request;
    }

    CompletableFuture<@Nullable Void> requestMark() {
        CompletableFuture<@Nullable Void> request = new CompletableFuture<>();
        synchronized (lock) {
            marks.add(request);
        }
        return request;
    }

    CompletableFuture<@Nullable Void> close(StorageException toLaterWrites) {
        CompletableFuture<@Nullable Void> done = new CompletableFuture<>();
        synchronized (lock) {
            closing = done;
            switch (admission.phase()) {
                case OPEN -> admission = new Admission(Phase.CLOSING, toLaterWrites);
                case FULL -> admission = new Admission(Phase.CLOSING_FULL, toLaterWrites);
                case CLOSING, CLOSING_FULL, BROKEN -> {}
            }
        }
        return done;
    }

    /**
     * Takes what there is.
     *
     * @param left what is left of what was taken before; if anything, it comes first and no more
     *     writes are taken, and no marks
     */
    Taken take(ArrayDeque<PendingWrite> left) {
        synchronized (lock) {
            ArrayDeque<PendingWrite> taken = left;
            List<CompletableFuture<@Nullable Void>> passing = List.of();
            if (left.isEmpty()) {
                taken = writes;
                writes = left;
                waiting = 0;
                if (!marks.isEmpty()) {
                    passing = marks;
                    marks = new ArrayList<>();
                }
            }
            List<CompletableFuture<@Nullable Void>> asked = List.of();
            if (!rolls.isEmpty()) {
                asked = rolls;
                rolls = new ArrayList<>();
            }
            return new Taken(admission, taken, asked, passing, closing);
        }
    }
}
