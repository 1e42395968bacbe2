package dev.quorate.node.api;

import dev.quorate.router.conditional.ConditionalRequest.Condition;
import dev.quorate.router.coordinator.Operations;
import dev.quorate.router.coordinator.operation.Explanation;
import dev.quorate.router.coordinator.operation.NewValue;
import dev.quorate.router.coordinator.operation.Outcome;
import dev.quorate.router.coordinator.operation.OutcomeCallback;
import dev.quorate.router.coordinator.range.ScanRange;
import dev.quorate.router.coordinator.range.ScanScope;
import dev.quorate.router.coordinator.range.ScanStream;
import dev.quorate.router.message.TraceParent;
import dev.quorate.router.quorum.QuorumSpec;
import dev.quorate.storage.Entry;
import dev.quorate.storage.KeyOrder;
import dev.quorate.storage.Timestamp;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.NavigableMap;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/** A cluster as a client sees it, in a sorted map: newest version wins, tombstones stay. */
final class MemoryOperations implements Operations {

    final ConcurrentSkipListMap<byte[], Entry> entries =
            new ConcurrentSkipListMap<>(Arrays::compareUnsigned);
    final AtomicInteger writes = new AtomicInteger();
    final AtomicInteger reads = new AtomicInteger();
    final AtomicInteger openScans = new AtomicInteger();
    final AtomicInteger scansClosed = new AtomicInteger();
    final List<QuorumSpec> specs = new CopyOnWriteArrayList<>();
    final List<ScanScope> scopes = new CopyOnWriteArrayList<>();

    /** How many writes were to be linearizable. */
    final AtomicInteger linearizable = new AtomicInteger();

    private final AtomicLong clock = new AtomicLong(1);
    private final Executor executor;

    /** What every operation ends with, instead of what it would. */
    volatile @Nullable Outcome forced;

    /** The traces that replicas would be sent. */
    final List<String> traces = new CopyOnWriteArrayList<>();

    /** Runs before an operation is complete. */
    volatile Runnable before = () -> {};

    /** How every operation has come about, for those who want to know. */
    volatile @Nullable Explanation explanation;

    /** After so many batches a scan fails. */
    volatile int batchesUntilFailure = Integer.MAX_VALUE;

    volatile int batchEntries = 10;

    /** Runs before a scan passes over a tombstone. */
    volatile Runnable beforeTombstone = () -> {};

    /** With what it fails then. */
    volatile Outcome.QuorumFailed scanFailure =
            new Outcome.QuorumFailed(null, List.of(), List.of(), Explanation.NONE);

    /** The times to live of renewals, or none. */
    final List<String> renewals = new CopyOnWriteArrayList<>();

    final List<Condition> conditions = new CopyOnWriteArrayList<>();
    volatile boolean refusesReads;
    volatile boolean refusesWrites;

    MemoryOperations(Executor executor) {
        this.executor = executor;
    }

    /** What waits for room. */
    final Queue<Runnable> forRoom = new ConcurrentLinkedQueue<>();

    @Override
    public void whenRoom(boolean isWrite, Runnable work) {
        forRoom.add(work);
    }

    @Override
    public boolean refusesNow(boolean isWrite) {
        return isWrite ? refusesWrites : refusesReads;
    }

    @Override
    public void read(byte[] key, QuorumSpec spec, OutcomeCallback callback) {
        reads.incrementAndGet();
        specs.add(spec);
        executor.execute(() -> complete(callback, found(key)));
    }

    private void complete(OutcomeCallback callback, Outcome outcome) {
        TraceParent trace = callback.trace();
        traces.add(trace == null ? "none" : trace.id());
        before.run();
        Outcome told = forced != null ? forced : outcome;
        Explanation how = explanation;
        if (how != null && callback.isExplained()) {
            callback.completed(told, how);
        } else {
            callback.completed(told);
        }
    }

    private Outcome found(byte[] key) {
        Entry entry = entries.get(key);
        if (entry == null) {
            return new Outcome.Missing(null);
        }
        return entry.isTombstone()
                ? new Outcome.Missing(entry.timestamp())
                : new Outcome.Found(entry);
    }

    @Override
    public void write(
            byte[] key,
            @Nullable NewValue value,
            @Nullable Timestamp version,
            QuorumSpec spec,
            boolean isLinearizable,
            OutcomeCallback callback) {
        if (isLinearizable) {
            linearizable.incrementAndGet();
        }
        Timestamp stamp = stamp(version);
        write(
                value == null
                        ? Entry.tombstone(key, stamp, spec.from())
                        : value.entry(key, stamp, spec.from()),
                spec,
                callback);
    }

    @Override
    public void writeIf(
            byte[] key,
            @Nullable NewValue value,
            Condition condition,
            @Nullable Timestamp version,
            QuorumSpec spec,
            OutcomeCallback callback) {
        conditions.add(condition);
        Entry held = entries.get(key);
        boolean isLive = held != null && !held.isTombstone();
        boolean holds =
                switch (condition) {
                    case Condition.Is(Timestamp wanted) ->
                            isLive && held.timestamp().equals(wanted);
                    case Condition.Present present -> isLive;
                    case Condition.Absent absent -> !isLive;
                    case Condition.Never never -> false;
                };
        if (!holds) {
            Timestamp current = held == null ? null : held.timestamp();
            executor.execute(() -> complete(callback, new Outcome.Unmet(current)));
        } else {
            write(key, value, version, spec, false, callback);
        }
    }

    @Override
    public void renew(
            byte[] key,
            @Nullable Duration timeToLive,
            @Nullable Timestamp version,
            QuorumSpec spec,
            OutcomeCallback callback) {
        renewals.add(timeToLive == null ? "none" : timeToLive.toString());
        Entry held = entries.get(key);
        if (held == null || held.isTombstone()) {
            executor.execute(() -> complete(callback, found(key)));
            return;
        }
        NewValue value = new NewValue(held.value(), timeToLive, held.contentType());
        writeIf(
                key,
                value,
                new Condition.Is(version == null ? held.timestamp() : version),
                null,
                spec,
                callback);
    }

    private Timestamp stamp(@Nullable Timestamp version) {
        return version == null
                ? Timestamp.of(1_767_225_600_000L + clock.getAndIncrement(), 0, 1)
                : version;
    }

    private void write(Entry entry, QuorumSpec spec, OutcomeCallback callback) {
        specs.add(spec);
        writes.incrementAndGet();
        executor.execute(
                () -> {
                    entries.merge(
                            entry.key(), entry, (old, add) -> add.supersedes(old) ? add : old);
                    complete(callback, new Outcome.Written(entry.timestamp()));
                });
    }

    @Override
    public ScanStream scan(
            ScanRange range, QuorumSpec spec, ScanScope scope, @Nullable TraceParent trace) {
        specs.add(spec);
        scopes.add(scope);
        traces.add(trace == null ? "none" : trace.id());
        openScans.incrementAndGet();
        return new MemoryScan(range.start(), range.end(), range.order());
    }

    private final class MemoryScan implements ScanStream {

        private final Iterator<Entry> rest;
        private @Nullable Entry postponed;
        private int batches;

        MemoryScan(byte[] start, byte @Nullable [] end, KeyOrder order) {
            NavigableMap<byte[], Entry> range = entries.tailMap(start, true);
            if (end != null) {
                range =
                        Arrays.compareUnsigned(start, end) < 0
                                ? entries.subMap(start, true, end, false)
                                : entries.subMap(start, start);
            }
            this.rest =
                    (order == KeyOrder.ASCENDING ? range : range.descendingMap())
                            .values()
                            .iterator();
        }

        @Override
        public void next(ScanCallback callback) {
            executor.execute(() -> deliver(callback));
        }

        private void deliver(ScanCallback callback) {
            if (batches++ >= batchesUntilFailure) {
                callback.failed(scanFailure);
                return;
            }
            List<Entry> batch = new ArrayList<>();
            while (batch.size() < batchEntries && (postponed != null || rest.hasNext())) {
                Entry entry = postponed == null ? rest.next() : postponed;
                postponed = null;
                if (entry.isTombstone()) {
                    beforeTombstone.run();
                    if (batch.isEmpty() && !callback.continuesAfter(entry.key())) {
                        return;
                    }
                } else {
                    if (!callback.hasRoomFor(entry) && !batch.isEmpty()) {
                        postponed = entry;
                        break;
                    }
                    batch.add(entry);
                }
            }
            if (batch.isEmpty()) {
                callback.end();
                return;
            }
            callback.entries(batch);
        }

        @Override
        public void close() {
            openScans.decrementAndGet();
            scansClosed.incrementAndGet();
        }
    }
}
