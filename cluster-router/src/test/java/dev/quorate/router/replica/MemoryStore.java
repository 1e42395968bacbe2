package dev.quorate.router.replica;

import dev.quorate.storage.CorruptionException;
import dev.quorate.storage.Damage;
import dev.quorate.storage.Entry;
import dev.quorate.storage.EntryCursor;
import dev.quorate.storage.Figures;
import dev.quorate.storage.Holdings;
import dev.quorate.storage.Kept;
import dev.quorate.storage.KeyOrder;
import dev.quorate.storage.KeyRange;
import dev.quorate.storage.KeyValueStore;
import dev.quorate.storage.Lookup;
import dev.quorate.storage.StorageException;
import dev.quorate.storage.Timestamp;
import dev.quorate.storage.UnreadValue;
import dev.quorate.storage.WriteCompletion;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.NavigableMap;
import java.util.Queue;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * A store in memory: what the engine promises, without a disk. A test can make it fail, and can
 * hold its log back, as a slow fsync does.
 */
public final class MemoryStore implements KeyValueStore {

    private final NavigableMap<byte[], Entry> entries =
            new ConcurrentSkipListMap<>(Arrays::compareUnsigned);
    private final AtomicReference<Timestamp> newest = new AtomicReference<>(Timestamp.ZERO);
    private final Queue<Waiting> log = new ArrayDeque<>();
    private volatile @Nullable StorageException readFailure;
    private volatile @Nullable StorageException writeFailure;
    private volatile @Nullable KeyRange damaged;
    private volatile List<Damage> reported = List.of();
    private volatile boolean nothingResident;
    private final AtomicInteger valuesRead = new AtomicInteger();

    /** The damage that was to be healed. */
    public final List<Damage> healed = new CopyOnWriteArrayList<>();

    private boolean logHeld;

    /** From now on every read fails so; null: no longer. */
    public void failReads(@Nullable StorageException failure) {
        readFailure = failure;
    }

    /** Reports this as the damage of its tables from now on. */
    public void report(Damage damage) {
        reported = List.of(damage);
    }

    /** From now on a scan that comes to a key of this range finds damage. */
    public void damage(KeyRange range) {
        damaged = range;
    }

    /** From now on every write is turned away so; null: no longer. */
    public void failWrites(@Nullable StorageException failure) {
        writeFailure = failure;
    }

    /** From now on no page is in memory, or every one is. */
    public void evictAll(boolean evicted) {
        nothingResident = evicted;
    }

    /** How many values cursors have read while no page was in memory. */
    public int valuesRead() {
        return valuesRead.get();
    }

    /** From now on writes wait for {@link #releaseLog}. */
    public synchronized void holdLog() {
        logHeld = true;
    }

    /** Forces the log: what waited is stored and completed, in order, on this thread. */
    public void releaseLog() {
        for (Waiting write : takeWaiting()) {
            write.completion.stored(store(write.entry));
        }
    }

    /** The log fails: of what waited, every second write was stored, and none is known to be. */
    public void failLog(StorageException failure) {
        boolean stored = false;
        for (Waiting write : takeWaiting()) {
            if (stored) {
                store(write.entry);
            }
            stored = !stored;
            write.completion.failed(failure);
        }
    }

    private synchronized List<Waiting> takeWaiting() {
        logHeld = false;
        List<Waiting> waiting = new ArrayList<>(log);
        log.clear();
        return waiting;
    }

    private record Waiting(Entry entry, WriteCompletion completion) {}

    @Override
    public void write(Entry entry, WriteCompletion completion) {
        StorageException failure = writeFailure;
        if (failure != null) {
            completion.failed(failure);
            return;
        }
        synchronized (this) {
            if (logHeld) {
                log.add(new Waiting(entry, completion));
                return;
            }
        }
        completion.stored(store(entry));
    }

    @Override
    public void write(List<Entry> written, WriteCompletion completion) {
        write(written.getFirst(), written.size() == 1 ? completion : next(written, completion));
    }

    private WriteCompletion next(List<Entry> written, WriteCompletion completion) {
        List<Entry> rest = written.subList(1, written.size());
        return after(() -> write(rest, completion), completion);
    }

    /** What writes to two stores as to the keyspaces of one: records first. */
    public static RecordedWrite both(MemoryStore records, MemoryStore data) {
        return (written, entry, completion) -> {
            Runnable last = () -> data.write(entry, completion);
            if (written.isEmpty()) {
                last.run();
            } else {
                records.write(written, after(last, completion));
            }
        };
    }

    private static WriteCompletion after(Runnable next, WriteCompletion completion) {
        return new WriteCompletion() {
            @Override
            public void stored(Timestamp newest) {
                next.run();
            }

            @Override
            public void failed(StorageException cause) {
                completion.failed(cause);
            }
        };
    }

    /** Stores an entry that a test begins with. */
    public void put(Entry entry) {
        write(
                entry,
                new WriteCompletion() {
                    @Override
                    public void stored(Timestamp newest) {}

                    @Override
                    public void failed(StorageException cause) {
                        throw cause;
                    }
                });
    }

    private Timestamp store(Entry entry) {
        newest.accumulateAndGet(entry.timestamp(), (a, b) -> b.isAfter(a) ? b : a);
        return entries.merge(entry.key(), entry, (a, b) -> b.supersedes(a) ? b : a).timestamp();
    }

    @Override
    public Lookup lookup(byte[] key) {
        throwIf(readFailure);
        Entry entry = entries.get(key);
        return entry == null ? Lookup.Absent.ABSENT : new Lookup.Found(entry);
    }

    @Override
    public Lookup lookupResident(byte[] key) {
        return nothingResident ? Lookup.NotResident.NOT_RESIDENT : lookup(key);
    }

    @Override
    public Holdings holdings(byte[] key) {
        Entry entry = entries.get(key);
        return new Holdings(
                entry == null
                        ? List.of()
                        : List.of(Holdings.Held.of(entry, Holdings.Place.Active.ACTIVE)),
                List.of());
    }

    private static void throwIf(@Nullable StorageException failure) {
        if (failure != null) {
            throw failure;
        }
    }

    @Override
    public EntryCursor scan(byte[] start, byte @Nullable [] end, KeyOrder order) {
        throwIf(readFailure);
        if (end != null && Arrays.compareUnsigned(start, end) >= 0) {
            return new Walk(List.<Entry>of().iterator(), null);
        }
        NavigableMap<byte[], Entry> range =
                end == null
                        ? entries.tailMap(start, true)
                        : entries.subMap(start, true, end, false);
        NavigableMap<byte[], Entry> ordered =
                order == KeyOrder.ASCENDING ? range : range.descendingMap();
        return new Walk(ordered.values().iterator(), damaged);
    }

    private final class Walk implements EntryCursor {

        private final Iterator<Entry> rest;
        private final @Nullable KeyRange damaged;
        private @Nullable Entry current;

        Walk(Iterator<Entry> rest, @Nullable KeyRange damaged) {
            this.rest = rest;
            this.damaged = damaged;
        }

        @Override
        public boolean next() {
            current = rest.hasNext() ? rest.next() : null;
            if (current != null && damaged != null && isIn(damaged, current.key())) {
                throw new CorruptionException("000001.sst", 0, "a block that cannot be read");
            }
            return current != null;
        }

        private static boolean isIn(KeyRange range, byte[] key) {
            return range.covers(new KeyRange(key, KeyRange.after(key)));
        }

        @Override
        public Entry entry() {
            if (unreadValue() != null) {
                valuesRead.incrementAndGet();
            }
            return current();
        }

        private Entry current() {
            if (current == null) {
                throw new IllegalStateException("not at an entry");
            }
            return current;
        }

        @Override
        public byte[] key() {
            return current().key();
        }

        @Override
        public Timestamp timestamp() {
            return current().timestamp();
        }

        @Override
        public @Nullable UnreadValue unreadValue() {
            return nothingResident && !current().isTombstone() ? UnreadValue.of(current()) : null;
        }

        @Override
        public void close() {}
    }

    @Override
    public Timestamp newestTimestamp() {
        return newest.get();
    }

    @Override
    public long bytesBetween(byte[] start, byte @Nullable [] end) {
        long bytes = 0;
        try (EntryCursor cursor = scan(start, end)) {
            while (cursor.next()) {
                bytes += cursor.entry().key().length + cursor.entry().valueBytes();
            }
        }
        return bytes;
    }

    @Override
    public EntryCursor scanReadable(byte[] start, byte @Nullable [] end) {
        return scan(start, end);
    }

    @Override
    public List<Damage> damage() {
        return reported;
    }

    @Override
    public void heal(Damage damage) {
        healed.add(damage);
        reported = reported.stream().filter(other -> !other.equals(damage)).toList();
    }

    @Override
    public void flush() {}

    @Override
    public void collectTombstones(Timestamp upTo) {
        entries.values().removeIf(each -> each.isTombstone() && !each.timestamp().isAfter(upTo));
    }

    @Override
    public void discard(Kept keep, Runnable whenDone) {
        entries.values().removeIf(each -> !keep.keeps(each.key(), each.from()));
        whenDone.run();
    }

    @Override
    public void checkpoint(Path directory) {
        throw new UnsupportedOperationException("in memory");
    }

    @Override
    public Timestamp tombstonesCollectedUpTo() {
        return Timestamp.ZERO;
    }

    @Override
    public Figures figures() {
        return new Figures();
    }

    @Override
    public String recoverySummary() {
        return "in memory";
    }

    @Override
    public void close() {
        failWrites(new StorageException.Closed("closed"));
    }
}
