package dev.quorate.router.coordinator.range;

import dev.quorate.router.coordinator.operation.Explanation;
import dev.quorate.router.coordinator.operation.Explanation.Purpose;
import dev.quorate.router.coordinator.operation.Explanation.Reply;
import dev.quorate.router.coordinator.operation.Explanation.Round;
import dev.quorate.router.coordinator.operation.OperationContext;
import dev.quorate.router.coordinator.operation.Outcome;
import dev.quorate.router.coordinator.operation.Outcome.ReplicaFailure;
import dev.quorate.router.coordinator.operation.OutcomeCallback;
import dev.quorate.router.coordinator.operation.Redo;
import dev.quorate.router.coordinator.operation.Resolver;
import dev.quorate.router.coordinator.operation.View;
import dev.quorate.router.coordinator.readwrite.ReadOperation;
import dev.quorate.router.message.ReplicaAnswer.Failed;
import dev.quorate.router.message.ReplicaAnswer.Failure;
import dev.quorate.router.message.TraceParent;
import dev.quorate.router.replica.Replica;
import dev.quorate.router.runtime.HeldRoom;
import dev.quorate.router.topology.Member;
import dev.quorate.storage.Entry;
import dev.quorate.storage.KeyOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiConsumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A range read: merges the replicas' pages by key, takes the newest entry of those replicas that
 * count for a key, and drops tombstones.
 *
 * <p>Which replicas count changes at every virtual node. All members' pages are merged, and entries
 * of replicas that do not count are skipped: a scan by arcs of the ring is not possible, because
 * keys are sorted by their bytes and arcs by the hash, so every page has keys of all arcs.
 *
 * <p>A replica that fails, at any page, is left out from then on, as long as every key still has
 * enough others; its earlier pages remain valid. There is no snapshot: a key written meanwhile may
 * appear in its old or its new state.
 *
 * <p>Pages are in memory during this range's {@linkplain ScanMemoryLimiter turn}. While its client
 * reads nothing, the range retains its position, but its remaining pages only while no other range
 * needs their room. Pages leave out values that are longer than a page. A key with such a value is
 * read by itself after a wait for room, so that the value is in memory once.
 *
 * <p>Unlike a read of a key, a range repairs nothing before it answers, and promises nothing to
 * later reads. Keys whose replicas differ are repaired in the background.
 *
 * <p>Only {@link #step} uses the state, on one thread at a time. An event (of the client, of a
 * replica) calls {@link #pump}; if another thread is in a step, that thread takes one more. So no
 * lock is held during calls, and the stack does not grow when replicas answer at once.
 */
final class RangeScan implements ScanStream {

    /**
     * The bounds of a range read.
     *
     * @param memory decides which ranges may buffer pages
     * @param pageBytes bytes of keys and values in a page
     * @param whenClosed run once
     */
    record Bounds(ScanMemoryLimiter memory, int pageBytes, Runnable whenClosed) {}

    /** If the replicas differ in more keys than this, anti-entropy repairs the rest. */
    private static final int MAX_DEFERRED_REPAIRS = 256;

    private final OperationContext context;
    private final Runnable whenClosed;
    private final Function<View, ScanRule> rules;
    private final ScanRange range;
    private final KeyOrder order;
    private final List<RangeSource> sources = new ArrayList<>();
    private final int batchBytes;
    private final ScanMemoryLimiter.Turn turn;
    private final BiConsumer<byte[], OutcomeCallback> longValues;
    private final @Nullable TraceParent trace;

    /** When it began, before the first page was requested: as for a {@link ReadOperation}. */
    private final long begunNanos;

    private final long begunMillis;

    private final AtomicInteger events = new AtomicInteger();
    private final AtomicBoolean closed = new AtomicBoolean();

    /** The view of the epoch in which the pages are requested. */
    private View view;

    private ScanRule rule;

    /** The last key that was passed; null before the first. */
    private byte @Nullable [] position;

    /** Whether this node is waiting for the epoch of a replica that refused. */
    private boolean isRedoing;

    /** Whether that epoch has not come in time. */
    private volatile boolean isStaleForGood;

    /** The client's callback that waits for a batch; handed over between threads. */
    private volatile @Nullable ScanCallback waiting;

    /** The last key that the last merge has passed; null if there was none. */
    private byte @Nullable [] passed;

    /** The key that the last merge has passed without its value; null if there is none. */
    private byte @Nullable [] longKey;

    /** The read of such a key; null if there is none. */
    private @Nullable LongRead longRead;

    /** How many keys were enqueued for repair. */
    private int deferredRepairs;

    private final Set<String> down = new HashSet<>();
    private final List<ReplicaFailure> failures = new ArrayList<>();

    /**
     * Creates a scan that has requested no page yet.
     *
     * @param trace the trace of the client's request, sent to the replicas; null if it has none
     * @param longValues reads keys with values that are longer than a page
     */
    RangeScan(
            OperationContext context,
            ScanRange range,
            @Nullable TraceParent trace,
            Function<View, ScanRule> rules,
            BiConsumer<byte[], OutcomeCallback> longValues,
            Bounds bounds) {
        this.context = context;
        this.rules = rules;
        this.range = range;
        this.view = context.view();
        this.rule = rules.apply(view);
        this.order = range.order();
        this.whenClosed = bounds.whenClosed();
        this.begunNanos = context.nanos();
        this.begunMillis = context.wallMillis();
        this.batchBytes = bounds.pageBytes();
        this.turn = bounds.memory().new Turn(this::pump);
        this.longValues = longValues;
        this.trace = trace;
        addSources();
    }

    private void addSources() {
        ScanRange rest = position == null ? range : range.after(position);
        for (Replica replica : rule.replicas()) {
            sources.add(new RangeSource(view, replica, rest, trace, batchBytes));
        }
    }

    /** Continues behind the last key in the current epoch. */
    private void restart() {
        isRedoing = false;
        dropPages();
        view = context.view();
        rule = rules.apply(view);
        sources.clear();
        addSources();
    }

    /** Whether the range continues only in another epoch; waits for it at most once. */
    private boolean awaitsEpoch() {
        if (isStaleForGood || sources.stream().noneMatch(RangeSource::isStale)) {
            return false;
        }
        if (context.view().topology().epoch() > view.topology().epoch()) {
            restart();
            return false;
        }
        if (!isRedoing) {
            isRedoing = true;
            Runnable giveUp =
                    () -> {
                        isStaleForGood = true;
                        pump();
                    };
            new Redo(context, view, context.deadlineNanos(), this::pump, giveUp).expire();
        }
        return true;
    }

    @Override
    public void next(ScanCallback callback) {
        waiting = callback;
        pump();
    }

    @Override
    public void close() {
        if (closed.compareAndSet(false, true)) {
            whenClosed.run();
            pump();
        }
    }

    private void pump() {
        if (events.getAndIncrement() == 0) {
            do {
                step();
            } while (events.decrementAndGet() > 0);
        }
    }

    private void step() {
        sources.forEach(RangeSource::absorb);
        if (closed.get()) {
            sources.forEach(RangeSource::release);
            turn.end();
            waiting = null;
            if (longRead != null && longRead.outcome != null) {
                longRead.room.release();
            }
            return;
        }
        if (awaitsEpoch()) {
            return;
        }
        if (turn.isRecalled()) {
            dropPages();
        }
        ScanCallback callback = waiting;
        if (callback == null || (longRead != null && !isTaken(longRead, callback))) {
            return;
        }
        sources.forEach(this::noteFailure);
        if (!rule.isCompleteWithout(down)) {
            waiting = null;
            callback.failed(new Outcome.QuorumFailed(null, answering(), failures, explanation()));
            return;
        }
        if (sources.stream().anyMatch(RangeSource::isAwaiting) || !turn.take()) {
            return;
        }
        passed = null;
        List<Entry> batch = merge(callback);
        byte[] last = passed;
        byte[] withLongValue = longKey;
        if (withLongValue != null) {
            dropPages();
            longRead = new LongRead();
            longValues.accept(withLongValue, longRead);
        } else if (!batch.isEmpty()) {
            waiting = null;
            callback.entries(batch);
            rest();
        } else if (anyNeedsPage()) {
            waiting = null;
            if (last == null || callback.continuesAfter(last)) {
                waiting = callback;
                fetch();
            } else {
                rest();
            }
        } else {
            waiting = null;
            callback.end();
        }
    }

    /** Delivers the result of a long read; false if the range does not continue yet. */
    private boolean isTaken(LongRead read, ScanCallback callback) {
        Outcome outcome = read.outcome;
        if (outcome == null) {
            return false;
        }
        longRead = null;
        if (outcome instanceof Outcome.Missing) {
            return true;
        }
        waiting = null;
        switch (outcome) {
            case Outcome.Found(Entry entry) -> {
                read.room.release(); // The answer reserves what it needs.
                callback.entries(List.of(entry));
            }
            case Outcome.QuorumFailed failed -> callback.failed(failed);
            case Outcome.Refused(String reason, int seconds) -> {
                String local = view.local().name();
                failures.add(new ReplicaFailure(local, Failure.OVERLOADED, reason));
                callback.failed(
                        new Outcome.QuorumFailed(null, answering(), failures, explanation()));
            }
            default -> throw new IllegalStateException("the outcome of a read: " + outcome);
        }
        return false;
    }

    private final class LongRead implements OutcomeCallback {

        private HeldRoom room = HeldRoom.NONE;
        private volatile @Nullable Outcome outcome;

        @Override
        public void acceptRoom(HeldRoom taken) {
            room = taken;
        }

        @Override
        public void completed(Outcome result) {
            outcome = result;
            pump();
        }

        @Override
        public @Nullable TraceParent trace() {
            return trace;
        }
    }

    /** Waits for the client. */
    private void rest() {
        if (sources.stream().noneMatch(RangeSource::hasMore) || !turn.rest()) {
            dropPages();
        }
    }

    /** Drops all pages, for another range; only the position remains. */
    private void dropPages() {
        sources.forEach(RangeSource::dropPage);
        turn.end();
    }

    private Explanation explanation() {
        List<Reply> replies = sources.stream().map(RangeSource::reply).toList();
        return new Explanation(
                List.of("for some keys of the range too few replicas can answer any more"),
                List.of(new Round(Purpose.RANGE, null, replies)));
    }

    private void noteFailure(RangeSource source) {
        Failed failure = source.failure();
        String name = source.replica().member().name();
        if (failure != null && down.add(name)) {
            failures.add(new ReplicaFailure(name, failure.reason(), failure.detail()));
        }
    }

    private List<String> answering() {
        return sources.stream()
                .map(source -> source.replica().member().name())
                .filter(name -> !down.contains(name))
                .toList();
    }

    private void fetch() {
        long deadlineNanos = context.deadlineNanos();
        for (RangeSource source : sources) {
            if (source.needsPage()) {
                source.fetch(deadlineNanos, context::nanos, this::pump);
            }
        }
    }

    /** The live entries that fit into the batch, up to where a source must fetch another page. */
    private List<Entry> merge(ScanCallback callback) {
        List<Entry> batch = new ArrayList<>();
        long wallMillis = begunMillis + (context.nanos() - begunNanos) / 1_000_000;
        long bytes = 0;
        longKey = null;
        while (bytes < batchBytes && longKey == null && !anyNeedsPage()) {
            byte[] key = nextKey();
            if (key == null) {
                break;
            }
            List<Member> counting = rule.counting(key);
            Entry newest = newest(key, counting);
            if (newest != null && Resolver.isLive(newest, wallMillis)) {
                boolean isRead = isCut(newest);
                if ((isRead || !callback.hasRoomFor(newest)) && !batch.isEmpty()) {
                    break;
                }
                if (isRead) {
                    longKey = key;
                } else {
                    batch.add(newest);
                    bytes += newest.dataBytes();
                }
            }
            pass(key, newest, counting);
            passed = key;
            position = key;
        }
        return batch;
    }

    private boolean isCut(Entry entry) {
        return sources.stream().anyMatch(source -> source.isCut() && entry.equals(source.head()));
    }

    private boolean anyNeedsPage() {
        for (RangeSource source : sources) {
            if (source.needsPage()) {
                return true;
            }
        }
        return false;
    }

    private byte @Nullable [] nextKey() {
        byte @Nullable [] next = null;
        for (RangeSource source : sources) {
            Entry head = source.head();
            if (head != null && (next == null || order.compare(head.key(), next) < 0)) {
                next = head.key();
            }
        }
        return next;
    }

    private @Nullable Entry newest(byte[] key, List<Member> counting) {
        @Nullable Entry newest = null;
        for (RangeSource source : sources) {
            Entry head = headAt(key, source);
            if (head != null && counting.contains(source.replica().member())) {
                newest = Resolver.newer(newest, head);
            }
        }
        return newest;
    }

    /**
     * Advances every source beyond a key. If an owner lacks the newest entry, the key is repaired
     * later.
     */
    private void pass(byte[] key, @Nullable Entry newest, List<Member> counting) {
        boolean differ = false;
        for (RangeSource source : sources) {
            Entry head = headAt(key, source);
            if (newest != null && source.failure() == null) {
                int place = counting.indexOf(source.replica().member());
                differ |= place >= 0 && !isAsItShould(head, newest, place);
            }
            if (head != null) {
                source.advance();
            }
        }
        if (differ && deferredRepairs < MAX_DEFERRED_REPAIRS) {
            deferredRepairs++;
            context.deferredRepairs().enqueue(key, rule.from(key));
        }
    }

    private static @Nullable Entry headAt(byte[] key, RangeSource source) {
        Entry head = source.head();
        return head != null && Arrays.equals(head.key(), key) ? head : null;
    }

    /** Whether the replica at that place of the key's ring order needs no repair. */
    private boolean isAsItShould(@Nullable Entry held, Entry newest, int place) {
        boolean isOwner = place < view.placement().effectiveFrom(newest.from());
        return held == null ? !isOwner : held.timestamp().equals(newest.timestamp());
    }
}
