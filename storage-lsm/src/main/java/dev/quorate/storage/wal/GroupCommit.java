package dev.quorate.storage.wal;

import dev.quorate.storage.Durability;
import dev.quorate.storage.Entry;
import dev.quorate.storage.StorageException;
import dev.quorate.storage.StorageOptions;
import dev.quorate.storage.WriteCompletion;
import dev.quorate.storage.io.DiskFullException;
import dev.quorate.storage.wal.CompletionQueue.Item;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Takes writes from any thread and makes them durable many at a time.
 *
 * <p>Two tasks form a pipeline. The log task takes all waiting writes, writes them with one write
 * and one fsync as a group, and enqueues the group for completion. The completion task makes the
 * entries visible and completes their writes, while the log task already writes the next group. No
 * thread is parked for a write, and groups grow by themselves with the load: whatever arrives
 * during one fsync is the next group, and what arrives until the group before has been told ({@link
 * Gathering}). Waiting for more by the clock was dropped: it lowers the throughput and ruins the
 * tail.
 *
 * <p>Answering writers from the log task was dropped as well: it delays the next fsync by the time
 * that a hundred answers take. A single write behind which nothing waits is the exception: with no
 * fsync to delay, going on to another thread only takes time (a third of a lone writer's,
 * measured).
 */
public final class GroupCommit {

    /** What an entry costs a memtable beyond its bytes, roughly; for entries not yet in it. */
    private static final int ENTRY_OVERHEAD_BYTES = 128;

    /** Groups of writes that are held back: at most so many a second, and so short pauses. */
    private static final int PACED_GROUPS_PER_SECOND = 200;

    private static final int MIN_GROUP_BYTES = 4096;

    /** The store around it. */
    public interface Listener {

        /** Whether one more memtable may be sealed now. Asked by the log task. */
        boolean mayRoll();

        /**
         * How fast the log may grow now, in bytes a second; {@link Pacer#UNLIMITED} if as fast as
         * it can. Asked by the log task before each group.
         *
         * @param fill how full the memtable of the segment in use is: 1 is full
         */
        long bytesPerSecond(double fill);

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

    private final WriteAheadLog log;
    private final SegmentSupply supply;
    private final Listener listener;
    private final StorageOptions options;
    private final Delays delays;
    private final LongSupplier nanoClock;
    private final SerialTask logTask;
    private final WriteQueue queue;
    private final CompletionQueue completions;
    private final Gathering gathering;
    private final AtomicReference<@Nullable LogSegment> first = new AtomicReference<>();
    private volatile boolean forceDue;

    /** One for all, as that of the queue. */
    private final StorageException nobodyWaits =
            new StorageException.Overloaded("nobody waits for it any more");

    // Of the log task alone.
    private ArrayDeque<PendingWrite> leaving = new ArrayDeque<>();
    private final List<CompletableFuture<@Nullable Void>> rolling = new ArrayList<>();
    private final List<CompletableFuture<@Nullable Void>> passing = new ArrayList<>();
    private SegmentUsage usage = new SegmentUsage(0);
    private @Nullable LogSegment reserved;
    private boolean forceScheduled;
    private long stalledSince;
    private boolean stalled;

    private final CommitFigures figures = new CommitFigures();
    private final Pacer pacer;

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
        this.pacer = new Pacer(delays, nanoClock, logTask::schedule);
        this.queue = new WriteQueue(options.maxQueuedBytes());
        this.completions =
                new CompletionQueue(
                        completionExecutor,
                        queue,
                        listener,
                        this::told,
                        e -> breakOff(new StorageException.Io("a completion failed: " + e, e)));
        this.gathering = new Gathering(queue, completions);
    }

    /** The completion queue is empty. */
    private void told() {
        if (gathering.isAwaited()) {
            logTask.schedule();
        }
    }

    /** Queues a write. The completion is told by the completion task, or here if it is refused. */
    public void submit(Entry entry, WriteCompletion completion) {
        StorageException refused = queue.offer(entry, completion);
        if (refused == null) {
            if (gathering.isEnough(queue.waiting())) {
                logTask.schedule();
            }
        } else {
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
        queue.refuse(cause);
        logTask.schedule();
    }

    /** Ends {@link #refuse}. */
    public void accept() {
        queue.accept();
        logTask.schedule();
    }

    /** Refuses writes, those that wait as well, for ever. Tells the listener if it is the first. */
    public void breakOff(StorageException cause) {
        if (queue.breakOff(cause)) {
            listener.broken(cause);
            logTask.schedule();
        }
    }

    /**
     * Begins a new segment, unless the one in use is empty.
     *
     * @return done when all that was durable before is in a memtable that is sealed
     */
    public CompletableFuture<@Nullable Void> roll() {
        CompletableFuture<@Nullable Void> request = queue.requestRoll();
        logTask.schedule();
        return request;
    }

    /**
     * Done, by the completion task, when every write that was submitted before is visible or was
     * refused; never, if the store is closed or the log does not begin.
     */
    public CompletableFuture<@Nullable Void> mark() {
        CompletableFuture<@Nullable Void> request = queue.requestMark();
        logTask.schedule();
        return request;
    }

    /**
     * Refuses new writes, and ends the log cleanly once those accepted are in it.
     *
     * @return done when the last of them was told
     */
    public CompletableFuture<@Nullable Void> close(StorageException toLaterWrites) {
        CompletableFuture<@Nullable Void> done = queue.close(toLaterWrites);
        logTask.schedule();
        return done;
    }

    /** Does on this thread what it would otherwise wait for; says whether there was anything. */
    public boolean help() {
        boolean logged = logTask.tryRun();
        boolean told = completions.help();
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
        if (leaving.isEmpty() && !forceDue && gathering.holds()) {
            return false;
        }
        WriteQueue.Taken taken = take();
        WriteQueue.Admission now = taken.admission();
        CompletableFuture<@Nullable Void> toClose = taken.closing();
        if (now.phase() != WriteQueue.Phase.BROKEN) {
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
        dropExpired();
        if (!rolling.isEmpty() && !(log.isStarted() && !log.isEmpty())) {
            passRollRequests();
            return true;
        }
        if (!rolling.isEmpty() || (!leaving.isEmpty() && !fits(leaving.element()))) {
            return log.isStarted() && roll(leaving.isEmpty() ? 0 : leaving.element().recordBytes());
        }
        if (!leaving.isEmpty()) {
            // Closing bypasses pacing, and so does sealing above.
            if (toClose == null && pacer.holdsBack()) {
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
        passMarksIfNoneLeaves();
        WriteQueue.Taken taken = queue.take(leaving);
        leaving = taken.writes();
        rolling.addAll(taken.rolls());
        passing.addAll(taken.marks());
        passMarksIfNoneLeaves();
        return taken;
    }

    /** Before more is taken, or marks would wait for writes that came after them. */
    private void passMarksIfNoneLeaves() {
        if (leaving.isEmpty() && !passing.isEmpty()) {
            for (CompletableFuture<@Nullable Void> mark : passing) {
                completions.put(new Item.Passed(mark));
            }
            passing.clear();
        }
    }

    /** Those at the head alone: who came first is late first, and each group looks again. */
    private void dropExpired() {
        List<PendingWrite> expired = new ArrayList<>(0);
        while (!leaving.isEmpty() && leaving.element().completion().isExpired()) {
            expired.add(leaving.remove());
        }
        if (!expired.isEmpty()) {
            completions.put(new Item.Refused(expired, nobodyWaits));
        }
    }

    private boolean fits(PendingWrite write) {
        return log.fits(write.recordBytes())
                && (log.isEmpty()
                        || usage.estimatedBytes() + write.recordBytes() <= options.memtableBytes());
    }

    private void commitGroup() throws IOException {
        long rate =
                listener.bytesPerSecond((double) usage.estimatedBytes() / options.memtableBytes());
        int mostBytes = groupBytes(rate);
        List<PendingWrite> group = new ArrayList<>(leaving.size());
        int recordBytes = 0;
        long heapBytes = 0;
        while (!leaving.isEmpty()) {
            PendingWrite write = leaving.element();
            int total = recordBytes + write.recordBytes();
            // The memtable may pass its size by a group of small writes, not by a large one.
            boolean room = total <= mostBytes && log.fits(total);
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
            // to overwrite, and takes what it has space for. The next group overwrites that; if
            // there is none, recovery may find whole records: it is not known what is stored.
            completions.put(
                    new Item.Refused(
                            group,
                            new StorageException.Io("the disk is full, midway in a group", e)));
            listener.outOfSpace(e);
            return;
        } catch (IOException e) {
            completions.put(new Item.Refused(group, unknown(e)));
            throw e;
        }
        try {
            if (sync) {
                force();
            } else {
                scheduleForce();
            }
        } catch (IOException e) {
            completions.put(new Item.Refused(group, unknown(e)));
            throw e;
        }
        if (sync) {
            gathering.left(group.size());
        }
        figures.committed(group, recordBytes, rate != Pacer.UNLIMITED);
        pacer.spent(recordBytes, rate);
        usage.handedOver(heapBytes);
        Item.Committed committed = new Item.Committed(usage, group, heapBytes);
        if (sync && group.size() == 1 && queue.isEmpty()) {
            // See above.
            completions.putAndRun(committed);
        } else {
            completions.put(committed);
        }
    }

    /** Where writes are held back, small groups: each pays for itself before the next. */
    private static int groupBytes(long bytesPerSecond) {
        long bytes = Math.max(MIN_GROUP_BYTES, bytesPerSecond / PACED_GROUPS_PER_SECOND);
        return (int) Math.min(bytes, WriteAheadLog.MAX_GROUP_BYTES);
    }

    private static StorageException unknown(IOException e) {
        return new StorageException.Io("the log failed: " + e.getMessage(), e);
    }

    private void force() throws IOException {
        long before = nanoClock.getAsLong();
        log.force();
        figures.synced(nanoClock.getAsLong() - before);
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
        reserved = next;
        try {
            log.seal(next.number());
        } catch (DiskFullException e) {
            listener.outOfSpace(e);
            return true;
        }
        reserved = null;
        start(next);
        listener.rolling();
        completions.put(new Item.Rolled(next.number()));
        passRollRequests();
        return true;
    }

    private void endStall() {
        if (stalled) {
            stalled = false;
            figures.stalled(nanoClock.getAsLong() - stalledSince);
        }
    }

    private @Nullable LogSegment nextSegment(long bytes) {
        LogSegment next = reserved;
        reserved = null;
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
            completions.put(new Item.Passed(request));
        }
        rolling.clear();
    }

    private void refuseQueued(
            WriteQueue.Admission now, @Nullable CompletableFuture<@Nullable Void> toClose)
            throws IOException {
        StorageException cause =
                now.cause() == null ? new StorageException.Closed("closed") : now.cause();
        endStall();
        while (!leaving.isEmpty()) {
            completions.put(new Item.Refused(new ArrayList<>(leaving), cause));
            leaving.clear();
            take();
        }
        for (CompletableFuture<@Nullable Void> request : rolling) {
            request.completeExceptionally(cause);
        }
        rolling.clear();
        if (now.phase() == WriteQueue.Phase.BROKEN) {
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
        LogSegment unused = reserved;
        reserved = null;
        if (unused != null) {
            unused.file().close();
        }
        completions.put(new Item.Passed(toClose));
    }

    /** What was done since opening. */
    public CommitFigures figures() {
        return figures;
    }

    /** Time for which writes were held to a rate, in nanoseconds. */
    public long delayNanos() {
        return pacer.pausedNanos();
    }

    public long queuedBytes() {
        return queue.bytes();
    }
}
