package dev.quorate.storage.engine;

import static dev.quorate.storage.engine.Writes.bytes;
import static dev.quorate.storage.engine.Writes.put;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.quorate.storage.Entry;
import dev.quorate.storage.EntryCursor;
import dev.quorate.storage.Figures;
import dev.quorate.storage.Lookup;
import dev.quorate.storage.Scale;
import dev.quorate.storage.StorageException;
import dev.quorate.storage.StorageOptions;
import dev.quorate.storage.Timestamp;
import dev.quorate.storage.WriteCompletion;
import dev.quorate.storage.io.StorageFiles;
import dev.quorate.storage.memtable.MemtableMemory;
import dev.quorate.storage.simulated.FaultyDisk;
import dev.quorate.storage.simulated.FaultyDisk.Keep;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A memtable's memory is freed after its flush and its last reader, and never before. */
class MemtableLifetimeTest {

    private static final int KIB = 1 << 10;

    private final AtomicInteger allocationsLeft = new AtomicInteger(Integer.MAX_VALUE);
    private final MemtableMemory memory =
            new MemtableMemory(
                    (arena, bytes) -> {
                        if (allocationsLeft.getAndDecrement() <= 0) {
                            allocationsLeft.set(0);
                            throw new OutOfMemoryError("none left");
                        }
                        return MemtableMemory.Allocator.SYSTEM.allocate(arena, bytes);
                    });
    private final List<StorageException> fatal = new ArrayList<>();

    private LsmStore open(StorageFiles files, StorageOptions options, StoreExecutors executors) {
        return LsmStore.open(
                new StoreRuntime(
                        files,
                        Model.DIRECTORY,
                        options,
                        executors,
                        new StoreClocks(() -> 0, () -> 0),
                        fatal::add),
                CompactionRunner.Shape.USUAL,
                memory);
    }

    private LsmStore open(StorageFiles files) {
        return open(files, Model.TINY, StoreExecutors.inPlace((millis, task) -> {}));
    }

    @AfterEach
    void nothingIsLeft() {
        assertThat(memory.arenas()).isZero();
        assertThat(memory.bytes()).isZero();
        assertThat(memory.pinnedBytes()).isZero();
    }

    private static void putAll(LsmStore store, int from, int to, int valueBytes) {
        for (int i = from; i < to; i++) {
            assertThat(put(store, "key " + i, i + 1, new byte[valueBytes])).isCompleted();
        }
    }

    @Test
    void flushesFreeTheirMemtables() {
        LsmStore store = open(new FaultyDisk());
        putAll(store, 0, 2_000, 100);
        assertThat(store.figures().count("flushes")).isGreaterThan(50);
        assertThat(memory.arenas()).isLessThanOrEqualTo(1);
        assertThat(memory.bytes()).isLessThan(64 * KIB);
        store.flush();
        assertThat(memory.arenas()).isZero();
        store.close();
    }

    @Test
    void recoveredMemtablesAreFreedOnceFlushed() {
        FaultyDisk disk = new FaultyDisk();
        LsmStore first = open(disk);
        putAll(first, 0, 20, 100);
        FaultyDisk remains = disk.afterPowerLoss(Keep.NOTHING, new SplittableRandom(1));
        first.close();
        LsmStore store = open(remains);
        assertThat(store.lookup(bytes("key 7"))).isInstanceOf(Lookup.Found.class);
        assertThat(memory.arenas()).isZero();
        store.close();
    }

    /** Whatever call of the disk fails. */
    @Test
    void aFailedOpeningFreesWhatItHasRead() {
        FaultyDisk disk = new FaultyDisk();
        LsmStore store = open(disk);
        putAll(store, 0, 120, 100);
        FaultyDisk used = disk.afterPowerLoss(Keep.SOME, new SplittableRandom(3));
        store.close();
        FailingFiles none = new FailingFiles(used.afterKill(), Long.MAX_VALUE);
        open(none.files()).close();
        for (long call = 1; call <= none.calls(); call++) {
            FailingFiles failing = new FailingFiles(used.afterKill(), call);
            Throwable ignored = catchThrowable(() -> open(failing.files()).close());
            assertThat(memory.arenas()).as("call %d: %s", call, ignored).isZero();
        }
    }

    @Test
    void anOpeningWithoutMemoryFailsAndTheNextOneSucceeds() {
        FaultyDisk disk = new FaultyDisk();
        LsmStore store = open(disk);
        putAll(store, 0, 20, 100);
        FaultyDisk remains = disk.afterPowerLoss(Keep.NOTHING, new SplittableRandom(1));
        store.close();
        allocationsLeft.set(2);
        assertThatThrownBy(() -> open(remains)).isInstanceOf(StorageException.Overloaded.class);
        assertThat(memory.arenas()).isZero();
        allocationsLeft.set(Integer.MAX_VALUE);
        LsmStore again = open(remains);
        assertThat(again.lookup(bytes("key 7"))).isInstanceOf(Lookup.Found.class);
        again.close();
    }

    /** The one large value needs a chunk of its own; there is room for the small one. */
    @Test
    void whatWasWrittenWithAnEntryForWhichThereIsNoMemoryIsNotVisible() {
        LsmStore store =
                open(
                        new FaultyDisk(),
                        Model.TINY.withMemtableBytes(256 * KIB).withSegmentBytes(512 * KIB),
                        StoreExecutors.inPlace((millis, task) -> {}));
        putAll(store, 0, 1, 10);
        allocationsLeft.set(0);
        List<StorageException> failures = new ArrayList<>();
        store.write(
                List.of(
                        Entry.value(bytes("large"), new Timestamp(2, 1), new byte[100 * KIB], 3),
                        Entry.value(bytes("small"), new Timestamp(3, 1), new byte[1], 3)),
                new WriteCompletion() {
                    @Override
                    public void stored(Timestamp newest) {
                        throw new AssertionError("stored without memory");
                    }

                    @Override
                    public void failed(StorageException cause) {
                        failures.add(cause);
                    }
                });
        allocationsLeft.set(Integer.MAX_VALUE);
        assertThat(failures).hasSize(1);
        assertThat(store.lookup(bytes("large"))).isEqualTo(Lookup.Absent.ABSENT);
        assertThat(store.lookup(bytes("small"))).isEqualTo(Lookup.Absent.ABSENT);
        store.close();
    }

    @Test
    void aCursorReadsItsMemtableAfterTheFlushAndFreesItWhenClosed() {
        LsmStore store = open(new FaultyDisk());
        putAll(store, 0, 10, 100);
        EntryCursor cursor = store.scan(new byte[0], null);
        assertThat(cursor.next()).isTrue();
        store.flush();
        putAll(store, 10, 20, 100);
        store.flush();
        assertThat(memory.arenas()).isEqualTo(1);
        assertThat(memory.pinnedBytes()).isEqualTo(memory.bytes()).isPositive();
        int entries = 1;
        while (cursor.next()) {
            assertThat(cursor.entry().value()).isEqualTo(new byte[100]);
            entries++;
        }
        assertThat(entries).isGreaterThanOrEqualTo(10);
        cursor.close();
        cursor.close();
        assertThat(memory.arenas()).isZero();
        store.close();
    }

    @Test
    void aCursorOutlivesTheStore() {
        LsmStore store = open(new FaultyDisk());
        putAll(store, 0, 10, 100);
        EntryCursor cursor = store.scan(new byte[0], null);
        store.close();
        assertThatThrownBy(() -> store.lookup(bytes("key 1")))
                .isInstanceOf(StorageException.Closed.class);
        assertThatThrownBy(() -> store.scan(new byte[0], null))
                .isInstanceOf(StorageException.Closed.class);
        int entries = 0;
        while (cursor.next()) {
            entries++;
        }
        assertThat(entries).isEqualTo(10);
        assertThat(memory.arenas()).isEqualTo(1);
        cursor.close();
    }

    /** The memtable stays readable, and is freed with the store. */
    @Test
    void aFailedFlushKeepsTheMemtable() {
        FaultyDisk disk = new FaultyDisk();
        FailingFiles counting = new FailingFiles(disk.afterKill(), Long.MAX_VALUE);
        LsmStore measured = open(counting.files());
        putAll(measured, 0, 5, 100);
        long before = counting.calls();
        measured.flush();
        long after = counting.calls();
        measured.close();
        for (long call = before + 1; call <= after; call++) {
            LsmStore store = open(new FailingFiles(new FaultyDisk(), call).files());
            putAll(store, 0, 5, 100);
            Throwable failure = catchThrowable(store::flush);
            for (int i = 0; i < 5; i++) {
                assertThat(store.lookup(bytes("key " + i)))
                        .as("call %d: %s", call, failure)
                        .isInstanceOf(Lookup.Found.class);
            }
            Throwable closing = catchThrowable(store::close);
            assertThat(closing == null || closing instanceof StorageException).isTrue();
            assertThat(memory.arenas()).as("call %d: %s", call, failure).isZero();
        }
    }

    /** Writes in the log fail with an unknown outcome; later ones are rejected before the log. */
    @Test
    void withoutMemoryWritesAreRejectedUntilThereIsSome() {
        FaultyDisk disk = new FaultyDisk();
        LsmStore store = open(disk);
        putAll(store, 0, 3, 10);
        long logged = store.figures().count("writes");
        allocationsLeft.set(0);
        CompletableFuture<Timestamp> large = put(store, "large", 10, new byte[6_000]);
        assertThat(large).isCompletedExceptionally();
        assertThat(catchThrowable(large::join))
                .hasRootCauseInstanceOf(StorageException.Overloaded.class);
        assertThat(catchThrowable(large::join).getCause()).isInstanceOf(StorageException.Io.class);
        for (int i = 0; i < 10; i++) {
            CompletableFuture<Timestamp> rejected = put(store, "small " + i, 11, new byte[10]);
            assertThat(catchThrowable(rejected::join).getCause())
                    .isInstanceOf(StorageException.Overloaded.class);
            assertThat(store.lookup(bytes("key 1"))).isInstanceOf(Lookup.Found.class);
            assertThat(store.lookup(bytes("large"))).isEqualTo(Lookup.Absent.ABSENT);
        }
        assertThat(store.figures().count("writes")).isEqualTo(logged + 1);

        allocationsLeft.set(Integer.MAX_VALUE);
        putAll(store, 3, 200, 10);
        assertThat(fatal).isEmpty();
        store.close();
    }

    /** Many readers that never end must not take all of the memory, but only stop the writes. */
    @Test
    void cursorsLimitTheMemoryThatTheyPin() {
        StorageOptions options =
                Model.TINY
                        .withMemtableBytes(256 * KIB)
                        .withSegmentBytes(512 * KIB)
                        .withMaxQueuedBytes(64 * KIB);
        LsmStore store =
                open(new FaultyDisk(), options, StoreExecutors.inPlace((millis, task) -> {}));
        List<EntryCursor> cursors = new ArrayList<>();
        List<CompletableFuture<Timestamp>> writes = new ArrayList<>();
        boolean stopped = false;
        for (int i = 0; i < 100_000 && !stopped; i++) {
            writes.add(put(store, "key " + i, i + 1, new byte[1000]));
            stopped = !writes.getLast().isDone();
            if (i % 100 == 0) {
                cursors.add(store.scan(new byte[0], null));
            }
        }
        assertThat(stopped).isTrue();
        assertThat(memory.pinnedBytes()).isGreaterThan(5 * 256 * KIB);
        assertThat(memory.bytes()).isLessThan((5 + 1 + 3) * 300 * KIB);
        assertThat(store.lookup(bytes("key 1"))).isInstanceOf(Lookup.Found.class);
        cursors.forEach(EntryCursor::close);
        assertThat(writes).allMatch(CompletableFuture::isDone);
        assertThat(writes).noneMatch(CompletableFuture::isCompletedExceptionally);
        putAll(store, 100_000, 100_100, 1000);
        store.close();
    }

    /** The same writes, in two stores: as on two replicas of the same keys. */
    @Test
    void storesWithTheSameWritesFlushAtDifferentTimes() {
        FaultyDisk disk = new FaultyDisk();
        FaultyDisk other = disk.afterPowerLoss(Keep.NOTHING, new SplittableRandom(0));
        StorageOptions options = Model.TINY.withMemtableBytes(64 * KIB).withSegmentBytes(128 * KIB);
        List<Integer> flushed = writesAtFlushes(disk, options);
        assertThat(flushed).hasSizeGreaterThan(8);
        assertThat(writesAtFlushes(other, options)).doesNotContainAnyElementsOf(flushed);
    }

    /** After how many writes there was another flush. */
    private List<Integer> writesAtFlushes(FaultyDisk disk, StorageOptions options) {
        List<Integer> flushed = new ArrayList<>();
        LsmStore store = open(disk, options, StoreExecutors.inPlace((millis, task) -> {}));
        for (int i = 0; i < 5_000; i++) {
            long before = store.figures().count("flushes");
            assertThat(put(store, "key " + i, i + 1, new byte[100])).isCompleted();
            if (store.figures().count("flushes") > before) {
                flushed.add(i);
            }
        }
        store.close();
        return flushed;
    }

    /** As often as the log is full, and no more: three quarters at least. */
    @Test
    void overwritingKeysDoesNotFlushMoreOftenThanTheLogDemands() {
        int keys = 1_000;
        StorageOptions options =
                Model.TINY.withMemtableBytes(512 * KIB).withSegmentBytes(2048 * KIB);
        LsmStore store =
                open(new FaultyDisk(), options, StoreExecutors.inPlace((millis, task) -> {}));
        SplittableRandom random = new SplittableRandom(5);
        for (int i = 0; i < 100_000; i++) {
            String key = "key " + random.nextInt(keys);
            assertThat(put(store, key, i + 1, new byte[100])).isCompleted();
        }
        Figures after = store.figures();
        assertThat(after.count("flushes"))
                .isBetween(3L, 1 + after.count("wal_bytes") / (1536 * KIB));
        store.close();
    }

    /** Look-ups and scans on threads, while memtables are flushed and freed all the time. */
    @Test
    void readersNeverMeetAFreedMemtable() throws Exception {
        int keys = 50;
        AtomicBoolean done = new AtomicBoolean();
        StoreExecutors threads = StoreExecutors.threads("lifetime");
        LsmStore store = open(new FaultyDisk(), Model.TINY, threads);
        try (ExecutorService executor = Executors.newFixedThreadPool(3)) {
            List<Future<Void>> readers = new ArrayList<>();
            for (int reader = 0; reader < 3; reader++) {
                SplittableRandom random = new SplittableRandom(reader);
                readers.add(executor.submit(() -> read(store, random, keys, done)));
            }
            try {
                SplittableRandom random = new SplittableRandom(9);
                for (int i = 0; i < Scale.of(50_000, 10); i++) {
                    put(store, "key " + random.nextInt(keys), i + 1, new byte[100]).join();
                }
            } finally {
                done.set(true);
            }
            for (Future<Void> reader : readers) {
                reader.get();
            }
        }
        assertThat(store.figures().count("flushes")).isGreaterThan(10);
        store.close();
    }

    private static Void read(
            LsmStore store, SplittableRandom random, int keys, AtomicBoolean done) {
        while (!done.get()) {
            if (random.nextInt(10) > 0) {
                Lookup found = store.lookup(bytes("key " + random.nextInt(keys)));
                assertThat(found).isNotInstanceOf(Lookup.NotResident.class);
            } else {
                try (EntryCursor cursor = store.scan(new byte[0], null)) {
                    while (cursor.next()) {
                        assertThat(cursor.entry().value()).hasSize(100);
                    }
                }
            }
        }
        return null;
    }
}
