package dev.quorate.storage.engine;

import dev.quorate.storage.CorruptionException;
import dev.quorate.storage.Damage;
import dev.quorate.storage.Entry;
import dev.quorate.storage.EntryCursor;
import dev.quorate.storage.Figures;
import dev.quorate.storage.Holdings;
import dev.quorate.storage.Kept;
import dev.quorate.storage.KeyOrder;
import dev.quorate.storage.KeyValueStore;
import dev.quorate.storage.Lookup;
import dev.quorate.storage.StorageException;
import dev.quorate.storage.StorageOptions;
import dev.quorate.storage.StoreListener;
import dev.quorate.storage.Timestamp;
import dev.quorate.storage.ValueShortener;
import dev.quorate.storage.WriteCompletion;
import dev.quorate.storage.format.FileNames;
import dev.quorate.storage.io.DiskFullException;
import dev.quorate.storage.io.StorageFiles;
import dev.quorate.storage.memtable.MemtableMemory;
import dev.quorate.storage.sstable.SSTable;
import dev.quorate.storage.wal.CommitListener;
import dev.quorate.storage.wal.GroupCommit;
import dev.quorate.storage.wal.PendingWrite;
import dev.quorate.storage.wal.SegmentSupply;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A log-structured merge tree. A write is appended to the log, forced together with other waiting
 * writes, and inserted into the memtable; only then is it acknowledged and visible, so no crash
 * undoes what a reader has seen. Full memtables are flushed to sorted tables, and tables are
 * compacted, in the background.
 *
 * <p>If writing or forcing the log, the manifest or a table fails for any reason except a full
 * disk, the store permanently rejects writes and notifies its listener once: after a failed fsync
 * the kernel may have discarded the data, and a second fsync would succeed without it. Look-ups
 * continue.
 */
public final class LsmStore implements KeyValueStore {

    private static final long NANOS_PER_MILLI = 1_000_000;

    private final StoreRuntime runtime;
    private final AutoCloseable directoryLock;
    private final AtomicReference<Timestamp> newest;
    private final MemtableMemory memory;
    private final LiveVersion live;
    private final SegmentSupply supply;
    private final GroupCommit commit;
    private final WritePath writePath;
    private final StoreReads reads;
    private final Flusher flusher;
    private final CompactionRunner compaction;
    private final SpaceWatch space;
    private final Scrub scrub;
    private final Figures figures = new Figures();

    /** Shared, to avoid a stack trace for each rejected write. */
    private final StorageException outOfMemory =
            new StorageException.Overloaded("no memory for memtables");

    private final AtomicInteger rollsAhead = new AtomicInteger();

    /** Whether the log waits until readers have released memtables. */
    private final AtomicBoolean waitsForReaders = new AtomicBoolean();

    private final AtomicReference<@Nullable StorageException> failure = new AtomicReference<>();
    private final AtomicBoolean closed = new AtomicBoolean();
    private volatile String recoverySummary = "";

    private LsmStore(
            StoreRuntime runtime,
            CompactionRunner.Shape shape,
            AutoCloseable directoryLock,
            Opening.Found found) {
        StorageOptions options = runtime.options();
        StoreExecutors executors = runtime.executors();
        this.runtime = runtime;
        this.directoryLock = directoryLock;
        memory = found.memory();
        newest = new AtomicReference<>(found.newest());
        live = new LiveVersion(runtime, found, this::newestTimestamp);
        supply =
                new SegmentSupply(
                        runtime.files(),
                        runtime.directory(),
                        live::takeFileNumber,
                        options.segmentBytes(),
                        options.reservedDiskBytes(),
                        executors.background(),
                        new SupplyEvents());
        commit =
                new GroupCommit(
                        supply,
                        options,
                        executors.log(),
                        executors.completion(),
                        executors.delays(),
                        runtime.clocks().nanos(),
                        new CommitEvents());
        ResidencyAge residency = new ResidencyAge(runtime.clocks().nanos());
        writePath =
                new WritePath(
                        live,
                        runtime.listener(),
                        residency,
                        newest,
                        executors.completion(),
                        executors.background());
        compaction = new CompactionRunner(runtime, live, shape, commit, this::failed);
        reads = new StoreReads(live, residency, runtime.clocks(), compaction::examineSuspects);
        scrub = new Scrub(runtime, live, compaction::examineSuspects);
        space = new SpaceWatch(runtime, commit, this::resume);
        flusher = new Flusher(runtime, live, commit, supply, this::failed, compaction::schedule);
        memory.onFree(this::onMemoryFreed);
        registerFigures();
    }

    /**
     * Opens the store in {@code directory}, which is created if it is missing.
     *
     * @param executors released when the store is closed or fails to open
     * @param listener notified of damage, and when the store permanently rejects writes
     * @throws StorageException.InUse if the directory is open in another store
     * @throws CorruptionException if anything durable is missing or damaged
     * @throws StorageException.Io if the disk fails, or the format is unknown
     */
    public static LsmStore open(
            StorageFiles files,
            Path directory,
            StorageOptions options,
            StoreExecutors executors,
            StoreClocks clocks,
            StoreListener listener) {
        StoreRuntime runtime =
                new StoreRuntime(files, directory, options, executors, clocks, listener);
        return open(
                runtime,
                CompactionRunner.Shape.USUAL,
                new MemtableMemory(MemtableMemory.Allocator.SYSTEM));
    }

    /** As above, with other parameters of compaction, and memory for the memtables. */
    static LsmStore open(
            StoreRuntime runtime, CompactionRunner.Shape shape, MemtableMemory memory) {
        StorageFiles files = runtime.files();
        Path directory = runtime.directory();
        StoreClocks clocks = runtime.clocks();
        long before = clocks.nanos().getAsLong();
        AutoCloseable lock = null;
        LsmStore store = null;
        boolean opened = false;
        try {
            files.createDirectories(directory);
            lock = files.lock(directory.resolve(FileNames.LOCK));
            Opening.Found found = Opening.read(files, directory, memory);
            store = new LsmStore(runtime, shape, lock, found);
            store.start(found.idleSegments());
            long millis = (clocks.nanos().getAsLong() - before) / NANOS_PER_MILLI;
            store.recoverySummary = found.summary(millis);
            opened = true;
            return store;
        } catch (IOException e) {
            throw Failures.of("opening " + directory, e);
        } catch (InternalError e) {
            throw StoreReads.unreadable(e);
        } finally {
            if (!opened && store != null) {
                store.close();
            } else if (!opened) {
                release(lock);
                runtime.executors().release().run();
            }
        }
    }

    private static void release(@Nullable AutoCloseable lock) {
        try {
            if (lock != null) {
                lock.close();
            }
        } catch (Exception e) {
            // The operating system releases the lock with the process.
        }
    }

    private void start(List<Long> idleSegments) throws IOException {
        for (long segment : idleSegments) {
            supply.recycle(segment);
        }
        space.checkNow();
        flusher.runNow();
        StorageException cause = failure.get();
        if (cause != null) {
            throw cause;
        }
        compaction.schedule();
        scrub.start();
    }

    /** Waits for a result, and runs the tasks it may depend on if no other thread does. */
    private void await(CompletableFuture<@Nullable Void> future) {
        boolean ran = runtime.executors().callers() == StoreExecutors.Callers.MUST_RUN;
        while (ran && !future.isDone()) {
            // In this order: each task may schedule the next one.
            ran = commit.runPending() || supply.runPending() || flusher.runPending();
        }
        Failures.await(future);
    }

    @Override
    public void write(Entry entry, WriteCompletion completion) {
        commit.submit(entry, completion);
    }

    @Override
    public void write(List<Entry> entries, WriteCompletion completion) {
        commit.submit(entries, completion);
    }

    @Override
    public Lookup lookup(byte[] key) {
        return reads.lookup(key, true);
    }

    @Override
    public Lookup lookupResident(byte[] key) {
        return reads.lookup(key, false);
    }

    @Override
    public EntryCursor scan(byte[] start, byte @Nullable [] end, KeyOrder order) {
        return reads.scan(
                start,
                end,
                order,
                order == KeyOrder.ASCENDING ? SSTable::scan : SSTable::scanDescending);
    }

    @Override
    public EntryCursor scanReadable(byte[] start, byte @Nullable [] end) {
        return reads.scan(start, end, KeyOrder.ASCENDING, SSTable::salvage);
    }

    @Override
    public long bytesBetween(byte[] start, byte @Nullable [] end) {
        return reads.bytesBetween(start, end);
    }

    @Override
    public List<Damage> damage() {
        return compaction.damaged().all();
    }

    @Override
    public void heal(Damage damage) {
        compaction.heal(damage);
    }

    @Override
    public Holdings holdings(byte[] key) {
        return reads.holdings(key);
    }

    @Override
    public Timestamp newestTimestamp() {
        return Objects.requireNonNull(newest.get());
    }

    @Override
    public void flush() {
        await(commit.roll());
        List<SegmentMemtable> sealed = live.current().sealed();
        if (!sealed.isEmpty()) {
            CompletableFuture<@Nullable Void> flushed = sealed.getFirst().flushed();
            flusher.schedule();
            await(flushed);
        }
    }

    @Override
    @SuppressWarnings("FutureReturnValueIgnored") // Both fail only if the store has failed.
    public void collectTombstones(Timestamp upTo) {
        if (compaction.tombstones().request(upTo)) {
            // Writes submitted before may still be in the log's queue, not in a memtable.
            commit.mark().thenRun(() -> tombstonesReach(upTo));
        }
    }

    @SuppressWarnings("FutureReturnValueIgnored")
    private void tombstonesReach(Timestamp upTo) {
        compaction.tombstones().reach(upTo);
        if (compaction.tombstones().memtableIsWorthFlushing(runtime.options().memtableBytes())) {
            commit.roll();
        }
        compaction.recheck();
    }

    @Override
    public void discard(Kept keep, Runnable whenDone) {
        compaction.discards().begin(keep, whenDone);
    }

    @Override
    public void shorten(Supplier<ValueShortener> shorteners) {
        compaction.shorten(shorteners);
    }

    @Override
    public void checkpoint(Path target) {
        flush();
        try (LiveVersion.Consistent consistent = live.retainVersion()) {
            new Checkpoint(runtime.files(), runtime.directory(), target)
                    .write(consistent.version());
        } catch (IOException e) {
            throw Failures.of("checkpoint " + target, e);
        }
    }

    @Override
    public Timestamp tombstonesCollectedUpTo() {
        return compaction.tombstones().reached();
    }

    @Override
    public Figures figures() {
        return figures;
    }

    private void registerFigures() {
        commit.register(figures);
        flusher.register(figures);
        compaction.register(figures);
        scrub.register(figures);
        space.register(figures);
        live.register(figures);
        figures.gauge(
                "memtables_allocated",
                "Allocated memtables, including flushed ones that are still read.",
                memory::arenas);
        figures.gauge(
                "memtable_allocated_bytes",
                "Bytes allocated for memtables, including flushed ones that are still read.",
                memory::bytes);
        figures.gauge(
                "wal_size_bytes",
                "Bytes of live log segments.",
                () -> (1.0 + live.sealedCount()) * runtime.options().segmentBytes());
        figures.counter(
                "checksum_failures",
                "Blocks and records found corrupt.",
                () -> reads.corrupt() + compaction.unreadableInputs() + scrub.found());
    }

    @Override
    public String recoverySummary() {
        return recoverySummary;
    }

    @Override
    public void close() {
        if (!closed.compareAndSet(false, true)) {
            return;
        }
        await(commit.close(new StorageException.Closed("the store is closed")));
        writePath.finishLate();
        try {
            scrub.stop();
            compaction.stop();
            flusher.stop();
            space.stop();
            supply.close();
            live.close();
        } catch (IOException e) {
            throw Failures.of("closing " + runtime.directory(), e);
        } finally {
            release(directoryLock);
            runtime.executors().release().run();
        }
    }

    private void failed(StorageException cause) {
        if (cause instanceof StorageException.Full full) {
            space.full(full);
        } else {
            commit.fail(cause);
        }
    }

    private void onMemoryFreed() {
        if (waitsForReaders.getAndSet(false)) {
            commit.wake();
        }
    }

    /** Retries the work that a full disk has stopped. */
    private void resume() {
        flusher.schedule();
        compaction.schedule();
        supply.request(runtime.options().segmentBytes());
    }

    private final class SupplyEvents implements SegmentSupply.Listener {

        @Override
        public void segmentReady() {
            commit.wake();
        }

        @Override
        public void segmentFailed(IOException cause) {
            failed(Failures.of("preparing a log segment", cause));
        }
    }

    private final class CommitEvents implements CommitListener {

        @Override
        public boolean mayRoll() {
            // Limits the bytes too, since single large values may overfill memtables.
            return live.sealedCount() + rollsAhead.get() < BackPressure.MAX_SEALED
                    && live.sealedBytes() < 2 * runtime.options().memtableBytes()
                    && !isPinnedByReaders();
        }

        /** Whether readers retain too many flushed memtables for another to be filled. */
        private boolean isPinnedByReaders() {
            long most = BackPressure.maxPinnedBytes(runtime.options().memtableBytes());
            if (memory.pinnedBytes() < most) {
                return false;
            }
            // In this order: memory freed from now on wakes the log.
            waitsForReaders.set(true);
            return memory.pinnedBytes() >= most;
        }

        @Override
        public @Nullable StorageException shortage() {
            return memory.isShort() ? outOfMemory : null;
        }

        @Override
        public long bytesPerSecond(double fill) {
            int sealed = live.sealedCount() + rollsAhead.get();
            double memory = BackPressure.memory(sealed, fill, flusher.progress());
            return BackPressure.bytesPerSecond(memory, compaction.backlog());
        }

        @Override
        public void forced(long nanos) {
            runtime.listener().logForced(nanos);
        }

        @Override
        public void groupBegun(long nanos) {
            runtime.listener().groupBegun(nanos);
        }

        @Override
        public void rolling() {
            rollsAhead.incrementAndGet();
        }

        @Override
        @SuppressWarnings("FutureReturnValueIgnored") // It fails only if the store has failed.
        public long committed(List<PendingWrite> writes) {
            space.touch();
            long bytes = writePath.committed(writes);
            if (memory.isShort()) {
                // A flush frees memory.
                commit.roll();
            }
            return bytes;
        }

        @Override
        public void rolled(long next) {
            live.seal(next);
            rollsAhead.decrementAndGet();
            commit.wake();
            flusher.schedule();
        }

        @Override
        public void outOfSpace(DiskFullException cause) {
            space.full(new StorageException.Full("the disk is full", cause));
        }

        @Override
        public void failed(StorageException cause) {
            failure.set(cause);
            runtime.listener().stopped(cause);
        }
    }
}
