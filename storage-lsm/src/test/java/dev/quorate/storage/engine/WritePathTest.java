package dev.quorate.storage.engine;

import static dev.quorate.storage.engine.Writes.bytes;
import static dev.quorate.storage.engine.Writes.put;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.quorate.storage.Durability;
import dev.quorate.storage.Entry;
import dev.quorate.storage.Lookup;
import dev.quorate.storage.StorageException;
import dev.quorate.storage.StorageOptions;
import dev.quorate.storage.Timestamp;
import dev.quorate.storage.WriteCompletion;
import dev.quorate.storage.simulated.FaultyDisk;
import dev.quorate.storage.simulated.FaultyDisk.Keep;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** The stages of a write, one task at a time, on the test's own thread. */
class WritePathTest {

    private final FaultyDisk disk = new FaultyDisk();
    private final Queue<Runnable> log = new ArrayDeque<>();
    private final Queue<Runnable> completion = new ArrayDeque<>();
    private final Queue<Runnable> background = new ArrayDeque<>();
    private final Queue<Runnable> delayed = new ArrayDeque<>();
    private final AtomicLong clock = new AtomicLong();
    private final List<StorageException> fatal = new ArrayList<>();

    private LsmStore open(StorageOptions options) {
        StoreExecutors executors =
                new StoreExecutors(
                        log::add,
                        completion::add,
                        background::add,
                        (millis, task) -> delayed.add(task),
                        () -> {},
                        StoreExecutors.Callers.MUST_RUN);
        LsmStore store =
                LsmStore.open(
                        disk,
                        Model.DIRECTORY,
                        options,
                        executors,
                        new StoreClocks(clock::get),
                        fatal::add);
        run(log);
        run(background);
        run(completion);
        return store;
    }

    private static void run(Queue<Runnable> tasks) {
        while (!tasks.isEmpty()) {
            tasks.remove().run();
        }
    }

    @Test
    void aWriteIsDurableBeforeItIsVisibleAndVisibleBeforeItIsAcknowledged() {
        LsmStore store = open(Model.TINY);
        CompletableFuture<Timestamp> write = put(store, "key", 5, "value");
        CompletableFuture<Timestamp> another = put(store, "another", 5, "value");
        for (int i = 0; i < 24; i++) {
            // The log's task itself would complete a smaller group.
            var _ = put(store, "more", 5 + i, "value");
        }
        assertThat(store.lookup(bytes("key"))).isEqualTo(Lookup.Absent.ABSENT);

        run(log);
        assertThat(store.lookup(bytes("key"))).isEqualTo(Lookup.Absent.ABSENT);
        assertThat(write).isNotDone();
        FaultyDisk after = disk.afterPowerLoss(Keep.NOTHING, new SplittableRandom(1));
        assertThat(Model.open(after).lookup(bytes("key"))).isInstanceOf(Lookup.Found.class);

        run(completion);
        assertThat(write).isCompletedWithValue(new Timestamp(5, 1));
        assertThat(another).isCompletedWithValue(new Timestamp(5, 1));
        assertThat(store.lookup(bytes("key"))).isInstanceOf(Lookup.Found.class);
    }

    /** Without other writes to delay, passing it to the completion task would only add latency. */
    @Test
    void aLoneWriteIsCompletedByTheLogTask() {
        LsmStore store = open(Model.TINY);
        CompletableFuture<Boolean> durable =
                put(store, "key", 5, "value")
                        .thenApply(
                                held -> {
                                    FaultyDisk after =
                                            disk.afterPowerLoss(
                                                    Keep.NOTHING, new SplittableRandom(1));
                                    return Model.open(after).lookup(bytes("key"))
                                            instanceof Lookup.Found;
                                });
        assertThat(durable).isNotDone();
        run(log);
        assertThat(durable).isCompletedWithValue(true);
        assertThat(completion).isEmpty();
        assertThat(store.lookup(bytes("key"))).isInstanceOf(Lookup.Found.class);
    }

    @Test
    void waitingWritesShareOneFsync() {
        LsmStore store = open(Model.TINY.withSegmentBytes(1 << 20).withMemtableBytes(1 << 20));
        List<CompletableFuture<Timestamp>> writes = new ArrayList<>();
        for (int i = 0; i < 500; i++) {
            writes.add(put(store, "key " + i, i + 1, "value"));
        }
        assertThat(log).as("one task, however many writes").hasSize(1);
        long forces = disk.forces();
        run(log);
        assertThat(disk.forces() - forces).isEqualTo(1);
        run(completion);
        assertThat(writes).allMatch(CompletableFuture::isDone);
        assertThat(store.figures().count("writes")).isEqualTo(500);
        assertThat(store.figures().count("write_queue_bytes")).isZero();
    }

    /** Under overload, expired writes must not occupy the disk. */
    @Test
    void expiredWritesAreNotLogged() {
        LsmStore store = open(Model.TINY);
        AtomicBoolean isLate = new AtomicBoolean();
        List<String> told = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            store.write(
                    Entry.value(bytes("late " + i), new Timestamp(1, 1), bytes("value"), 1),
                    new WriteCompletion() {
                        @Override
                        public boolean isExpired() {
                            return isLate.get();
                        }

                        @Override
                        public void stored(Timestamp newest) {
                            told.add("stored");
                        }

                        @Override
                        public void failed(StorageException cause) {
                            told.add(String.valueOf(cause.getMessage()));
                        }
                    });
        }
        CompletableFuture<Timestamp> inTime = put(store, "in time", 2, "value");
        isLate.set(true);
        run(log);
        run(completion);
        assertThat(told).hasSize(3).containsOnly("the write expired before it was written");
        assertThat(inTime).isCompletedWithValue(new Timestamp(2, 1));
        assertThat(store.lookup(bytes("late 1"))).isEqualTo(Lookup.Absent.ABSENT);
        assertThat(store.lookup(bytes("in time"))).isInstanceOf(Lookup.Found.class);
        assertThat(store.figures().count("write_queue_bytes")).isZero();
        assertThat(store.figures().count("writes")).isEqualTo(1);
    }

    @Test
    void writesBeyondTheBoundAreRejectedUntilTheQueueDrains() {
        LsmStore store = open(Model.TINY.withMaxQueuedBytes(2_000));
        List<CompletableFuture<Timestamp>> writes = new ArrayList<>();
        while (writes.isEmpty() || !writes.getLast().isCompletedExceptionally()) {
            writes.add(put(store, "key " + writes.size(), 1, new byte[100]));
        }
        CompletableFuture<Timestamp> refused = writes.removeLast();
        assertThatThrownBy(refused::join).hasCauseInstanceOf(StorageException.Overloaded.class);
        assertThat(writes).hasSizeBetween(10, 19);
        assertThat(store.figures().count("write_queue_bytes")).isBetween(1_500L, 2_000L);

        run(log);
        run(completion);
        assertThat(writes).allMatch(CompletableFuture::isDone);
        CompletableFuture<Timestamp> again = put(store, "again", 1, new byte[100]);
        run(log);
        run(completion);
        assertThat(again).isCompletedWithValue(new Timestamp(1, 1));
    }

    @Test
    void aWriteLargerThanTheBoundIsAdmittedAlone() {
        LsmStore store = open(Model.TINY.withMaxQueuedBytes(2_000));
        CompletableFuture<Timestamp> large = put(store, "large", 1, new byte[20_000]);
        while (!large.isDone()) {
            run(log);
            run(background);
            run(completion);
        }
        assertThat(((Lookup.Found) store.lookup(bytes("large"))).entry().valueBytes())
                .isEqualTo(20_000);
    }

    @Test
    void writesStopForSlowFlushesAndTheStallIsCounted() {
        LsmStore store = open(Model.TINY);
        List<CompletableFuture<Timestamp>> writes = new ArrayList<>();
        // Prepares segments, but flushes nothing while memtables may be sealed.
        int done = 0;
        for (int i = 0; i < 200; i++) {
            writes.add(put(store, "key " + i, 1, new byte[100]));
            run(log);
            run(completion);
            if (writes.getLast().isDone()) {
                done++;
            }
        }
        assertThat(done).isLessThan(200);
        assertThat(store.figures().count("memtable_size_bytes")).isLessThan(4 * 4096);
        assertThat(store.figures().count("flushes")).isZero();
        clock.addAndGet(777);

        while (!writes.getLast().isDone()) {
            run(background);
            run(log);
            run(completion);
        }
        assertThat(writes).noneMatch(CompletableFuture::isCompletedExceptionally);
        assertThat(store.figures().value("write_stall_seconds")).isEqualTo(777e-9);
        assertThat(store.figures().count("flushes")).isPositive();
    }

    @Test
    void anAsynchronousWriteIsAcknowledgedBeforeItsFsync() {
        LsmStore store = open(Model.TINY.withDurability(Durability.ASYNC));
        long forces = disk.forces();
        for (int i = 0; i < 10; i++) {
            CompletableFuture<Timestamp> write = put(store, "key " + i, 1, "value");
            run(log);
            run(completion);
            assertThat(write).isCompleted();
        }
        assertThat(disk.forces()).isEqualTo(forces);
        assertThat(delayed).as("one fsync is due for all writes").hasSize(1);

        run(delayed);
        run(log);
        assertThat(disk.forces()).isEqualTo(forces + 1);
        FaultyDisk after = disk.afterPowerLoss(Keep.NOTHING, new SplittableRandom(1));
        assertThat(Model.open(after).lookup(bytes("key 9"))).isInstanceOf(Lookup.Found.class);
        store.close();
        assertThat(delayed).isEmpty();
    }

    @Test
    void aLateWriteCompletesWithTheNewerTimestamp() {
        LsmStore store = open(Model.TINY);
        CompletableFuture<Timestamp> first = put(store, "key", 50, "new");
        run(log);
        run(completion);
        store.flush();
        CompletableFuture<Timestamp> late = put(store, "key", 20, "old");
        run(log);
        run(completion);
        assertThat(first).isCompletedWithValue(new Timestamp(50, 1));
        assertThat(late).isCompletedWithValue(new Timestamp(50, 1));
        assertThat(((Lookup.Found) store.lookup(bytes("key"))).entry().value())
                .isEqualTo(bytes("new"));
    }

    @Test
    void closingCompletesAdmittedWritesAndRejectsLaterOnes() {
        LsmStore store = open(Model.TINY);
        List<CompletableFuture<Timestamp>> writes = new ArrayList<>();
        for (int i = 0; i < 200; i++) {
            writes.add(put(store, "key " + i, 1, new byte[100]));
        }
        store.close();
        assertThat(writes).allMatch(CompletableFuture::isDone);
        assertThat(writes).noneMatch(CompletableFuture::isCompletedExceptionally);
        assertThatThrownBy(() -> put(store, "late", 1, "value").join())
                .hasCauseInstanceOf(StorageException.Closed.class);
        assertThat(fatal).isEmpty();
        assertThat(disk.openFiles()).isZero();
        try (LsmStore again = Model.open(disk)) {
            assertThat(again.lookup(bytes("key 199"))).isInstanceOf(Lookup.Found.class);
            assertThat(again.recoverySummary()).contains(", 0 bytes of torn tail dropped, in ");
        }
    }

    @Test
    void anExceptionInACompletionFailsTheStore() {
        LsmStore store = open(Model.TINY);
        store.write(
                dev.quorate.storage.Entry.value(bytes("key"), Timestamp.ZERO, bytes(""), 1),
                new dev.quorate.storage.WriteCompletion() {
                    @Override
                    public void stored(Timestamp newest) {
                        throw new IllegalStateException("a bug");
                    }

                    @Override
                    public void failed(StorageException cause) {}
                });
        assertThatThrownBy(() -> run(log)).hasMessage("a bug");
        assertThat(fatal).hasSize(1);
        assertThat(fatal.getFirst()).hasMessageContaining("a bug");
        assertThatThrownBy(() -> put(store, "late", 1, "value").join())
                .hasCauseInstanceOf(StorageException.Io.class);
        store.close();
    }
}
