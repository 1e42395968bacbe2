package dev.quorate.storage.wal;

import dev.quorate.storage.Durability;
import dev.quorate.storage.Entry;
import dev.quorate.storage.StorageException;
import dev.quorate.storage.StorageOptions;
import dev.quorate.storage.WriteCompletion;
import dev.quorate.storage.io.DiskFullException;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Takes writes from any thread and makes them durable many at a time.
 *
 * <p>Two tasks work like two people at a belt. The log task takes everything that waits, writes it
 * with one write and one fsync as a group, and hands the group on. The completion task makes the
 * entries visible and tells their writers, while the log task already writes the next group. No
 * thread is parked for a write, and groups grow by themselves with the load: whatever arrives
 * during one fsync is the next group. Waiting on purpose for more was dropped: it lowers the
 * throughput and ruins the tail.
 *
 * <p>Answering writers from the log task was dropped as well: it delays the next fsync by the time
 * that a hundred answers take.
 */
public final class GroupCommit {

    /** What an entry costs a memtable beyond its bytes, roughly; for entries not yet in it. */
    private static final int ENTRY_OVERHEAD_BYTES = 128;

    /** The store around it. */
    public interface Listener {

        /** Whether one more memtable may be sealed now. Asked by the log task. */
        boolean mayRoll();

        /** The log has gone on to another segment; {@link #rolled} follows. By the log task. */
        void rolling();

        /**
         * Makes durable writes visible and tells their writers. Called by the completion task, in
         * the order of the log.
         *
         * @return bytes that the memtable of the segment now holds
         */
        long committed(long segment, List<PendingWrite> writes);

        /** What follows is of segment {@code next}. Called by the completion task, in order. */
        void rolled(long next);

        /** There is no space; writes are refused from now on. Called by any task. */
        void outOfSpace(DiskFullException cause);

        /** The log is broken for good; writes are refused from now on. Called once. */
        void broken(StorageException cause);
    }

    /** What the log task hands to the completion task. */
    private sealed interface Event {

        record Committed(SegmentUsage usage, List<PendingWrite> writes, long bytes)
                implements Event {}

        record Rolled(long next) implements Event {}

        record Refused(List<PendingWrite> writes, StorageException cause) implements Event {}

        /** Everything before this has been seen. */
        record Passed(CompletableFuture<@Nullable Void> mark) implements Event {}
    }

    /** Whether writes are let in, and whether those let in are still served. */
    private record Admission(Phase phase, @Nullable StorageException cause) {

        static final Admission OPEN = new Admission(Phase.OPEN, null);

        boolean servesQueued() {
            return phase == Phase.OPEN || phase == Phase.CLOSING;
        }
    }

    private enum Phase {
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

    private final WriteAheadLog log;
    private final SegmentSupply supply;
    private final Listener listener;
    private final StorageOptions options;
    private final Delays delays;
    private final LongSupplier nanoClock;
    private final SerialTask logTask;
    private final SerialTask completionTask;

    /** Guards the fields up to the next blank line but one: writers add, the log task swaps. */
    private final Object queueLock = new Object();

    private ArrayDeque<PendingWrite> arriving = new ArrayDeque<>();
    private List<CompletableFuture<@Nullable Void>> rollRequests = new ArrayList<>();
    private Admission admission = Admission.OPEN;
    private @Nullable CompletableFuture<@Nullable Void> closing;

    private final AtomicLong queuedBytes = new AtomicLong();
    private final StorageException overloaded;
    private final Queue<Event> events = new ConcurrentLinkedQueue<>();
    private final AtomicReference<@Nullable LogSegment> first = new AtomicReference<>();
    private volatile boolean forceDue;

    // Of the log task alone.
    private ArrayDeque<PendingWrite> leaving = new ArrayDeque<>();
    private List<CompletableFuture<@Nullable Void>> rolling = List.of();
    private SegmentUsage usage = new SegmentUsage(0);
    private @Nullable LogSegment taken;
    private boolean forceScheduled;
    private long stalledSince;
    private boolean stalled;

    private final LongAdder writes = new LongAdder();
    private final LongAdder syncs = new LongAdder();
    private final LongAdder syncNanos = new LongAdder();
    private final LongAdder stallNanos = new LongAdder();

    public GroupCommit(
            SegmentSupply supply,
            StorageOptions options,
            Executor logExecutor,
            Executor completionExecutor,
            Delays delays,
            LongSupplier nanoClock,
            Listener listener) {
        this.log = new WriteAheadLog(options.segmentBytes());
        this.supply = supply;
        this.options = options;
        this.delays = delays;
        this.nanoClock = nanoClock;
        this.listener = listener;
        this.logTask = new SerialTask(logExecutor, this::runLog);
        this.completionTask = new SerialTask(completionExecutor, this::runCompletions);
        this.overloaded =
                new StorageException.Overloaded(
                        "more than " + options.maxQueuedBytes() + " bytes of writes are queued");
    }

    /** Queues a write. The completion is told by the completion task, or here if it is refused. */
    public void submit(Entry entry, WriteCompletion completion) {
        int bytes = WriteAheadLog.recordBytes(entry);
        StorageException refused = null;
        long queued = queuedBytes.addAndGet(bytes);
        if (queued > options.maxQueuedBytes() && queued > bytes) {
            refused = overloaded;
        } else {
            synchronized (queueLock) {
                refused = admission.cause();
                if (refused == null) {
                    arriving.add(new PendingWrite(entry, completion, bytes));
                }
            }
        }
        if (refused == null) {
            logTask.schedule();
        } else {
            queuedBytes.addAndGet(-bytes);
            completion.failed(refused);
        }
    }

    /**
     * Gives the log its first segment. Until then writes wait.
     *
     * @param segment the one that the manifest names as the oldest
     */
    public void begin(LogSegment segment) {
        first.set(segment);
        logTask.schedule();
    }

    /** Looks again at what could not be done before: there may be room for it now. */
    public void wake() {
        logTask.schedule();
    }

    /**
     * Refuses writes, those that wait as well, until {@link #accept}.
     *
     * @param cause what they are told
     */
    public void refuse(StorageException.Full cause) {
        synchronized (queueLock) {
            switch (admission.phase()) {
                case OPEN -> admission = new Admission(Phase.FULL, cause);
                case CLOSING -> admission = new Admission(Phase.CLOSING_FULL, cause);
                case FULL, CLOSING_FULL, BROKEN -> {}
            }
        }
        logTask.schedule();
    }

    /** Ends {@link #refuse}. */
    public void accept() {
        synchronized (queueLock) {
            if (admission.phase() == Phase.FULL) {
                admission = Admission.OPEN;
            }
        }
        logTask.schedule();
    }

    /** Refuses writes, those that wait as well, for ever. Tells the listener if it is the first. */
    public void breakOff(StorageException cause) {
        synchronized (queueLock) {
            if (admission.phase() == Phase.BROKEN) {
                return;
            }
            admission = new Admission(Phase.BROKEN, cause);
        }
        listener.broken(cause);
        logTask.schedule();
    }

    /**
     * Begins a new segment, unless the one in use is empty.
     *
     * @return done when all that was durable before is in a memtable that is sealed
     */
    public CompletableFuture<@Nullable Void> roll() {
        CompletableFuture<@Nullable Void> request = new CompletableFuture<>();
        synchronized (queueLock) {
            rollRequests.add(request);
        }
        logTask.schedule();
        return request;
    }

    /**
     * Refuses new writes, and ends the log cleanly once those accepted are in it.
     *
     * @return done when the last of them was told
     */
    public CompletableFuture<@Nullable Void> close(StorageException toLaterWrites) {
        CompletableFuture<@Nullable Void> done = new CompletableFuture<>();
        synchronized (queueLock) {
            closing = done;
            switch (admission.phase()) {
                case OPEN -> admission = new Admission(Phase.CLOSING, toLaterWrites);
                case FULL -> admission = new Admission(Phase.CLOSING_FULL, toLaterWrites);
                case CLOSING, CLOSING_FULL, BROKEN -> {}
            }
        }
        logTask.schedule();
        return done;
    }

    /** Does on this thread what it would otherwise wait for; says whether there was anything. */
    public boolean help() {
        boolean logged = logTask.tryRun();
        boolean told = completionTask.tryRun();
        return logged || told;
    }

    // ---- the log task

    private void runLog() {
        try {
            boolean more = true;
            while (more) {
                more = step();
            }
        } catch (IOException e) {
            breakOff(new StorageException.Io("the log failed: " + e.getMessage(), e));
        } catch (RuntimeException | Error e) {
            breakOff(new StorageException.Io("the log task failed: " + e, e));
            throw e;
        }
    }

    /** Does one thing, and says whether there may be another to do now. */
    private boolean step() throws IOException {
        Admission now;
        CompletableFuture<@Nullable Void> toClose;
        synchronized (queueLock) {
            now = admission;
            toClose = closing;
            if (leaving.isEmpty()) {
                ArrayDeque<PendingWrite> emptied = leaving;
                leaving = arriving;
                arriving = emptied;
            }
            if (rolling.isEmpty()) {
                rolling = rollRequests;
                rollRequests = new ArrayList<>();
            }
        }
        if (now.phase() != Phase.BROKEN) {
            LogSegment begun = first.getAndSet(null);
            if (begun != null) {
                start(begun);
            }
            if (forceDue) {
                forceOpenGroup();
            }
        }
        if (!now.servesQueued()) {
            refuseQueued(now, toClose);
            return false;
        }
        if (!rolling.isEmpty() && !(log.isStarted() && !log.isEmpty())) {
            passRollRequests();
            return true;
        }
        if (!rolling.isEmpty() || (!leaving.isEmpty() && !fits(leaving.element()))) {
            return log.isStarted() && roll(leaving.isEmpty() ? 0 : leaving.element().recordBytes());
        }
        if (!leaving.isEmpty()) {
            commitGroup();
            return true;
        }
        if (toClose != null) {
            endLog(toClose);
        }
        return false;
    }

    private boolean fits(PendingWrite write) {
        return log.fits(write.recordBytes())
                && (log.isEmpty() || usage.estimatedBytes() < options.memtableBytes());
    }

    private void commitGroup() throws IOException {
        List<PendingWrite> group = new ArrayList<>(leaving.size());
        int recordBytes = 0;
        long heapBytes = 0;
        while (!leaving.isEmpty()) {
            PendingWrite write = leaving.element();
            int total = recordBytes + write.recordBytes();
            boolean room = total <= WriteAheadLog.MAX_GROUP_BYTES && log.fits(total);
            if (!room && !group.isEmpty()) {
                break;
            }
            group.add(leaving.remove());
            recordBytes = total;
            heapBytes += write.recordBytes() + ENTRY_OVERHEAD_BYTES;
        }
        boolean sync = options.durability() == Durability.FSYNC;
        try {
            log.append(group, recordBytes, sync);
        } catch (DiskFullException e) {
            // The segment is preallocated, but a file system that copies on write needs space even
            // to overwrite. Nothing was synced, and the next group overwrites what this one left.
            hand(new Event.Refused(group, new StorageException.Full("the disk is full", e)));
            listener.outOfSpace(e);
            return;
        } catch (IOException e) {
            hand(new Event.Refused(group, unknown(e)));
            throw e;
        }
        try {
            if (sync) {
                force();
            } else {
                scheduleForce();
            }
        } catch (IOException e) {
            hand(new Event.Refused(group, unknown(e)));
            throw e;
        }
        writes.add(group.size());
        usage.handedOver(heapBytes);
        hand(new Event.Committed(usage, group, heapBytes));
    }

    private static StorageException unknown(IOException e) {
        return new StorageException.Io("the log failed: " + e.getMessage(), e);
    }

    private void force() throws IOException {
        long before = nanoClock.getAsLong();
        log.force();
        syncNanos.add(nanoClock.getAsLong() - before);
        syncs.increment();
    }

    private void scheduleForce() {
        if (!forceScheduled) {
            forceScheduled = true;
            delays.runAfter(
                    options.asyncWindowMillis(),
                    () -> {
                        forceDue = true;
                        logTask.schedule();
                    });
        }
    }

    private void forceOpenGroup() throws IOException {
        forceDue = false;
        forceScheduled = false;
        if (log.isStarted() && log.hasOpenGroup()) {
            force();
        }
    }

    /**
     * Goes on to the next segment if there is one and there may be.
     *
     * @return false if not: then whoever removes the obstacle wakes the log task
     */
    private boolean roll(int recordBytes) throws IOException {
        long bytes = Math.max(options.segmentBytes(), WriteAheadLog.segmentBytesFor(recordBytes));
        LogSegment next = listener.mayRoll() ? nextSegment(bytes) : null;
        if (next == null) {
            if (!stalled) {
                stalled = true;
                stalledSince = nanoClock.getAsLong();
            }
            return false;
        }
        endStall();
        // Should sealing fail, the seal may be on disk all the same: no other can be the next one.
        taken = next;
        try {
            log.seal(next.number());
        } catch (DiskFullException e) {
            listener.outOfSpace(e);
            return true;
        }
        taken = null;
        start(next);
        listener.rolling();
        hand(new Event.Rolled(next.number()));
        passRollRequests();
        return true;
    }

    private void endStall() {
        if (stalled) {
            stalled = false;
            stallNanos.add(nanoClock.getAsLong() - stalledSince);
        }
    }

    private @Nullable LogSegment nextSegment(long bytes) {
        LogSegment next = taken;
        taken = null;
        if (next == null) {
            next = supply.take(bytes);
        }
        if (next == null) {
            supply.request(bytes);
            // Where the supply works in place, it is there by now.
            next = supply.take(bytes);
        }
        return next;
    }

    private void start(LogSegment next) {
        log.start(next);
        usage = new SegmentUsage(next.number());
        supply.request(options.segmentBytes());
    }

    private void passRollRequests() {
        for (CompletableFuture<@Nullable Void> request : rolling) {
            hand(new Event.Passed(request));
        }
        rolling = List.of();
    }

    private void refuseQueued(Admission now, @Nullable CompletableFuture<@Nullable Void> toClose)
            throws IOException {
        StorageException cause =
                now.cause() == null ? new StorageException.Closed("closed") : now.cause();
        endStall();
        while (!leaving.isEmpty()) {
            hand(new Event.Refused(new ArrayList<>(leaving), cause));
            leaving.clear();
            synchronized (queueLock) {
                ArrayDeque<PendingWrite> emptied = leaving;
                leaving = arriving;
                arriving = emptied;
            }
        }
        for (CompletableFuture<@Nullable Void> request : rolling) {
            request.completeExceptionally(cause);
        }
        rolling = List.of();
        if (now.phase() == Phase.BROKEN) {
            closeBroken();
        }
        if (toClose != null) {
            endLog(toClose);
        }
    }

    private void closeBroken() {
        try {
            log.close();
        } catch (IOException e) {
            // It is broken for a reason that was told, and nothing of it is relied on any more.
        }
    }

    private void endLog(CompletableFuture<@Nullable Void> toClose) throws IOException {
        if (log.isStarted()) {
            try {
                log.seal(0);
            } catch (DiskFullException e) {
                // The seal only tells a clean end from a crash, which recovery copes with.
                log.close();
            }
        }
        LogSegment begun = first.getAndSet(null);
        if (begun != null) {
            begun.file().close();
        }
        LogSegment unused = taken;
        taken = null;
        if (unused != null) {
            unused.file().close();
        }
        hand(new Event.Passed(toClose));
    }

    private void hand(Event event) {
        events.add(event);
        completionTask.schedule();
    }

    // ---- the completion task

    private void runCompletions() {
        try {
            runEvents();
        } catch (RuntimeException | Error e) {
            breakOff(new StorageException.Io("the completion task failed: " + e, e));
            throw e;
        }
    }

    private void runEvents() {
        Event event = events.poll();
        while (event != null) {
            switch (event) {
                case Event.Committed(SegmentUsage of, List<PendingWrite> group, long bytes) -> {
                    release(group);
                    of.applied(bytes, listener.committed(of.segment(), group));
                }
                case Event.Rolled(long next) -> listener.rolled(next);
                case Event.Refused(List<PendingWrite> group, StorageException cause) -> {
                    release(group);
                    for (PendingWrite write : group) {
                        write.completion().failed(cause);
                    }
                }
                case Event.Passed(CompletableFuture<@Nullable Void> mark) -> mark.complete(null);
            }
            event = events.poll();
        }
    }

    private void release(List<PendingWrite> group) {
        long bytes = 0;
        for (PendingWrite write : group) {
            bytes += write.recordBytes();
        }
        queuedBytes.addAndGet(-bytes);
    }

    // ---- figures

    /** Entries made durable (with {@link Durability#ASYNC}: written). */
    public long writes() {
        return writes.sum();
    }

    public long syncs() {
        return syncs.sum();
    }

    public long syncNanos() {
        return syncNanos.sum();
    }

    public long queuedBytes() {
        return queuedBytes.get();
    }

    /** Time for which writes waited for a flush or for a segment, in nanoseconds. */
    public long stallNanos() {
        return stallNanos.sum();
    }
}
