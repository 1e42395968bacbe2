package dev.quorate.storage.wal;

import dev.quorate.storage.Durability;
import dev.quorate.storage.Entry;
import dev.quorate.storage.Figures;
import dev.quorate.storage.StorageException;
import dev.quorate.storage.StorageOptions;
import dev.quorate.storage.WriteCompletion;
import dev.quorate.storage.io.DiskFullException;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Accepts writes from any thread and makes them durable in groups, with one fsync for each group.
 *
 * <p>Invariants:
 *
 * <ol>
 *   <li>With {@link Durability#FSYNC} no entry is visible, and no write acknowledged, before an
 *       fsync has covered it and everything before it in the log.
 *   <li>Groups are completed, and entries become visible, in the order of the log.
 *   <li>Each write is completed exactly once, as stored or as failed. If a part of its group may be
 *       on disk, it fails with {@link StorageException.Io}: the outcome is unknown.
 *   <li>The log task and the completion task each run on one thread at a time. State of the log
 *       task alone has no lock. No thread is parked for a write.
 * </ol>
 *
 * <p>The steps of a group:
 *
 * <ol>
 *   <li>Enqueue (writer's thread): {@link #submit} adds a write to {@link WriteQueue} under its
 *       lock, or rejects it at once.
 *   <li>Gather (log task): takes all queued writes, under the same lock, once they are as many as
 *       in the previous group or that group is completed ({@link Gathering}). Drops expired writes,
 *       and rolls to the next segment if the segment or the memtable is full.
 *   <li>Write and fsync (log task): up to 1 MiB, or one larger entry. With {@link Durability#ASYNC}
 *       the fsync follows later, by a timer.
 *   <li>Apply and complete (completion task): takes the group from the lock-free {@link
 *       CompletionQueue}; {@link CommitListener#committed} inserts it into the memtable and
 *       completes its writes, while the log task may write the next group.
 * </ol>
 *
 * <p>With FSYNC and an empty queue, the log task itself completes a small group: no fsync is
 * delayed, and another thread costs a third of a lone writer's latency (measured).
 *
 * <p>Dropped: an fsync for each write (5,000 a second); a leading writer while the others wait on a
 * condition, as in LevelDB's {@code DBImpl::Write} (a hundred parked threads per group); a timer to
 * fill groups (longer tail); completing large groups on the log task (delays the next fsync).
 * Pebble's {@code commit.go} also publishes a group in log order while it writes the next. See
 * {@code docs/decisions/0002-write-ahead-log.md}.
 */
public final class GroupCommit {

    /** Estimated memtable bytes of an entry beyond its log record, for entries not yet inserted. */
    private static final int ENTRY_OVERHEAD_BYTES = 64;

    /** Maximum number of writes in a small group: see the class comment. */
    static final int SMALL_GROUP = 24;

    private final WriteAheadLog log;
    private final OpenSegment segment;
    private final CommitListener listener;
    private final StorageOptions options;
    private final Delays delays;
    private final LongSupplier nanoClock;
    private final SerialTask logTask;
    private final WriteQueue queue;
    private final CompletionQueue completions;
    private final Gathering gathering;
    private volatile boolean forceDue;

    /** Shared, to avoid stack traces under overload. */
    private final StorageException expired =
            new StorageException.Overloaded("the write expired before it was written");

    // Used by the log task alone.
    private ArrayDeque<PendingWrite> pending = new ArrayDeque<>();
    private final List<CompletableFuture<@Nullable Void>> rollRequests = new ArrayList<>();
    private final List<CompletableFuture<@Nullable Void>> marks = new ArrayList<>();
    private boolean forceScheduled;

    private final CommitFigures figures = new CommitFigures();

    /** When the first of the writes last taken into {@link #pending} arrived. */
    private long firstNanos;

    private final Pacer pacer;

    public GroupCommit(
            SegmentSupply supply,
            StorageOptions options,
            Executor logExecutor,
            Executor completionExecutor,
            Delays delays,
            LongSupplier nanoClock,
            CommitListener listener) {
        this.log = new WriteAheadLog(options.segmentBytes());
        this.segment = new OpenSegment(log, supply, listener, options, nanoClock, figures);
        this.options = options;
        this.delays = delays;
        this.nanoClock = nanoClock;
        this.listener = listener;
        this.logTask = new SerialTask(logExecutor, this::runLog);
        this.pacer = new Pacer(delays, nanoClock, logTask::schedule);
        this.queue = new WriteQueue(options.maxQueuedBytes(), nanoClock);
        this.completions =
                new CompletionQueue(
                        completionExecutor,
                        queue,
                        listener,
                        this::onCompletionsDone,
                        e -> fail(new StorageException.Io("a completion failed: " + e, e)));
        this.gathering = new Gathering(queue, completions);
    }

    /** Runs when the completion queue is empty. */
    private void onCompletionsDone() {
        if (gathering.isWaiting()) {
            logTask.schedule();
        }
    }

    /**
     * Queues a write. Completed by the completion task, or by this call if the write is rejected.
     */
    public void submit(Entry entry, WriteCompletion completion) {
        offered(queue.offer(List.of(entry), completion), completion);
    }

    /**
     * Queues several writes, which are stored in this order: each only if the writes before it are.
     */
    public void submit(List<Entry> entries, WriteCompletion completion) {
        WriteCompletion joint = new JointCompletion(entries, completion);
        offered(queue.offer(entries, joint), completion);
    }

    private void offered(@Nullable StorageException rejected, WriteCompletion completion) {
        if (rejected == null) {
            if (gathering.suffices(queue.waiting())) {
                logTask.schedule();
            }
        } else {
            completion.failed(rejected);
        }
    }

    /**
     * Starts the log with its first segment. Until then writes wait.
     *
     * @param first the oldest segment in the manifest
     */
    public void begin(LogSegment first) {
        segment.begin(first);
        logTask.schedule();
    }

    /** Schedules the log task after an obstacle has been removed. */
    public void wake() {
        logTask.schedule();
    }

    /**
     * Rejects new and waiting writes until {@link #accept}.
     *
     * @param cause the failure of the rejected writes
     */
    public void reject(StorageException.Full cause) {
        queue.reject(cause);
        logTask.schedule();
    }

    /** Ends {@link #reject}. */
    public void accept() {
        queue.accept();
        logTask.schedule();
    }

    /** Permanently rejects new and waiting writes. Notifies the listener on the first call. */
    public void fail(StorageException cause) {
        if (queue.fail(cause)) {
            listener.failed(cause);
            logTask.schedule();
        }
    }

    /**
     * Begins a new segment, unless the one in use is empty.
     *
     * @return completes when every entry that was durable before is in a sealed memtable
     */
    public CompletableFuture<@Nullable Void> roll() {
        CompletableFuture<@Nullable Void> request = queue.requestRoll();
        logTask.schedule();
        return request;
    }

    /**
     * Completes, on the completion task, when every write submitted before is visible or rejected;
     * never if the store is closed or the log does not begin.
     */
    public CompletableFuture<@Nullable Void> mark() {
        CompletableFuture<@Nullable Void> request = queue.requestMark();
        logTask.schedule();
        return request;
    }

    /**
     * Rejects new writes, and seals the log after the accepted ones.
     *
     * @return completes after the last accepted write
     */
    public CompletableFuture<@Nullable Void> close(StorageException toLaterWrites) {
        CompletableFuture<@Nullable Void> done = queue.close(toLaterWrites);
        logTask.schedule();
        return done;
    }

    /** Runs scheduled tasks on this thread; returns whether there were any. */
    public boolean runPending() {
        boolean logged = logTask.tryRun();
        boolean completed = completions.runPending();
        return logged || completed;
    }

    // ---- the log task

    private void runLog() {
        try {
            boolean more = true;
            while (more) {
                more = step();
            }
        } catch (IOException e) {
            fail(logFailure(e));
        } catch (RuntimeException | Error e) {
            fail(new StorageException.Io("the log task failed: " + e, e));
            throw e;
        }
    }

    /** Runs one step; returns whether another may follow now. */
    private boolean step() throws IOException {
        if (pending.isEmpty() && !forceDue && gathering.defers()) {
            return false;
        }
        WriteQueue.Taken taken = take();
        WriteQueue.Admission now = taken.admission();
        CompletableFuture<@Nullable Void> toClose = taken.closing();
        if (now.phase() != WriteQueue.Phase.FAILED) {
            segment.startFirst();
            if (forceDue) {
                forceOpenGroup();
            }
        }
        if (!now.servesQueued()) {
            rejectQueued(now, toClose);
            return false;
        }
        dropExpired();
        if (!rollRequests.isEmpty() && !(log.isStarted() && !log.isEmpty())) {
            passRollRequests();
            return true;
        }
        if (!rollRequests.isEmpty() || (!pending.isEmpty() && !segment.fits(pending.element()))) {
            return log.isStarted() && roll(pending.isEmpty() ? 0 : pending.element().recordBytes());
        }
        if (!pending.isEmpty()) {
            StorageException shortage = listener.shortage();
            if (shortage != null) {
                completions.rejected(new ArrayList<>(pending), shortage);
                pending.clear();
                return true;
            }
            // Closing bypasses throttling, as does rolling above.
            if (toClose == null && pacer.mustPause()) {
                return false;
            }
            commitGroup();
            return true;
        }
        if (toClose != null) {
            endLog(toClose);
        }
        return false;
    }

    private WriteQueue.Taken take() {
        passMarksIfNoneIsPending();
        boolean areNew = pending.isEmpty();
        WriteQueue.Taken taken = queue.take(pending);
        pending = taken.writes();
        if (areNew) {
            firstNanos = taken.firstNanos();
        }
        rollRequests.addAll(taken.rolls());
        marks.addAll(taken.marks());
        passMarksIfNoneIsPending();
        return taken;
    }

    /** Completes marks before taking more writes, which follow the marks. */
    private void passMarksIfNoneIsPending() {
        if (pending.isEmpty() && !marks.isEmpty()) {
            for (CompletableFuture<@Nullable Void> mark : marks) {
                completions.passed(mark);
            }
            marks.clear();
        }
    }

    /**
     * Drops expired writes from the head alone: the oldest writes expire first, and each group
     * checks again.
     */
    private void dropExpired() {
        List<PendingWrite> dropped = new ArrayList<>(0);
        while (!pending.isEmpty() && pending.element().completion().isExpired()) {
            dropped.add(pending.remove());
        }
        if (!dropped.isEmpty()) {
            completions.rejected(dropped, expired);
        }
    }

    /** Bytes per second that may be written now. */
    private long rate() {
        return listener.bytesPerSecond(segment.usage().fill());
    }

    private void commitGroup() throws IOException {
        listener.groupBegun(nanoClock.getAsLong() - firstNanos);
        long rate = rate();
        int mostBytes = Pacer.groupBytes(rate);
        List<PendingWrite> group = new ArrayList<>(pending.size());
        int recordBytes = 0;
        long memtableBytes = 0;
        while (!pending.isEmpty()) {
            PendingWrite write = pending.element();
            int total = recordBytes + write.recordBytes();
            // A group of small writes may overfill the memtable, a large write may not.
            boolean room = total <= mostBytes && log.fits(total);
            if (!room && !group.isEmpty()) {
                break;
            }
            group.add(pending.remove());
            recordBytes = total;
            memtableBytes += write.recordBytes() + ENTRY_OVERHEAD_BYTES;
        }
        boolean sync = options.durability() == Durability.FSYNC;
        try {
            long before = nanoClock.getAsLong();
            log.append(group, recordBytes, sync);
            if (sync) {
                force(before); // fails with another exception if the disk is full
            } else {
                scheduleForce();
            }
        } catch (DiskFullException e) {
            // The segment is preallocated, but a copy-on-write file system needs space even to
            // overwrite, and may have written part of the group. The next group overwrites it;
            // without one, recovery may replay it, so the outcome of these writes is unknown. A
            // pending write may only be stored if the writes submitted with it are.
            group.addAll(pending);
            pending.clear();
            completions.rejected(
                    group, new StorageException.Io("the disk is full, midway in a group", e));
            listener.outOfSpace(e);
            return;
        } catch (IOException e) {
            completions.rejected(group, logFailure(e));
            throw e;
        }
        if (sync) {
            gathering.committed(group.size());
        }
        figures.committed(group, recordBytes, rate != Pacer.UNLIMITED);
        pacer.spent(recordBytes, rate);
        segment.usage().handedOver(memtableBytes);
        // See the class comment.
        boolean here = sync && group.size() <= SMALL_GROUP && queue.isEmpty();
        completions.committed(segment.usage(), group, memtableBytes, here);
    }

    private static StorageException logFailure(IOException e) {
        return new StorageException.Io("the log failed: " + e.getMessage(), e);
    }

    private void force(long sinceNanos) throws IOException {
        log.force();
        listener.forced(nanoClock.getAsLong() - sinceNanos);
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
            force(nanoClock.getAsLong());
        }
    }

    /**
     * Rolls to the next segment.
     *
     * @return whether another step may follow now
     */
    private boolean roll(int recordBytes) throws IOException {
        OpenSegment.Roll roll = segment.roll(recordBytes);
        if (roll == OpenSegment.Roll.ROLLED) {
            completions.rolled(log.segmentNumber());
            passRollRequests();
        }
        return roll != OpenSegment.Roll.WAITS;
    }

    private void passRollRequests() {
        for (CompletableFuture<@Nullable Void> request : rollRequests) {
            completions.passed(request);
        }
        rollRequests.clear();
    }

    private void rejectQueued(
            WriteQueue.Admission now, @Nullable CompletableFuture<@Nullable Void> toClose)
            throws IOException {
        StorageException cause =
                now.cause() == null ? new StorageException.Closed("closed") : now.cause();
        segment.endStall();
        while (!pending.isEmpty()) {
            completions.rejected(new ArrayList<>(pending), cause);
            pending.clear();
            take();
        }
        for (CompletableFuture<@Nullable Void> request : rollRequests) {
            request.completeExceptionally(cause);
        }
        rollRequests.clear();
        if (now.phase() == WriteQueue.Phase.FAILED) {
            segment.abandon();
        }
        if (toClose != null) {
            endLog(toClose);
        }
    }

    private void endLog(CompletableFuture<@Nullable Void> toClose) throws IOException {
        segment.end();
        completions.passed(toClose);
    }

    public void register(Figures registry) {
        figures.register(registry);
        registry.gauge(
                "write_queue_bytes", "Bytes of accepted writes not yet durable.", queue::bytes);
        registry.counter(
                "write_delay_seconds",
                "Time during which writes were slowed because flushes or compaction were behind.",
                () -> pacer.pausedNanos() / 1e9);
    }
}
