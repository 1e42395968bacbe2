package dev.quorate.storage.engine;

import static dev.quorate.storage.engine.Writes.put;
import static org.assertj.core.api.Assertions.assertThat;

import dev.quorate.storage.Figures;
import dev.quorate.storage.StorageException;
import dev.quorate.storage.StorageOptions;
import dev.quorate.storage.Timestamp;
import dev.quorate.storage.simulated.FaultyDisk;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Throttled writes, one task at a time: they make progress, and nothing else waits for them. */
class PacedWritesTest {

    private static final StorageOptions ROOMY =
            Model.TINY
                    .withMemtableBytes(1 << 20)
                    .withSegmentBytes(1 << 20)
                    .withMaxQueuedBytes(16 << 20);

    private final FaultyDisk disk = new FaultyDisk();
    private final Queue<Runnable> log = new ArrayDeque<>();
    private final Queue<Runnable> completion = new ArrayDeque<>();
    private final Queue<Runnable> segments = new ArrayDeque<>();
    private final Queue<Runnable> flushes = new ArrayDeque<>();
    private final Queue<Runnable> delayed = new ArrayDeque<>();
    private boolean logging;
    private final List<StorageException> fatal = new ArrayList<>();
    private final List<CompletableFuture<Timestamp>> writes = new ArrayList<>();

    /** A store with three memtables of waiting writes and no flush begun. */
    private LsmStore openWithoutFlushes() {
        StoreExecutors executors =
                new StoreExecutors(
                        log::add,
                        completion::add,
                        // The log task requests segments, the completion task requests flushes.
                        task -> (logging ? segments : flushes).add(task),
                        (millis, task) -> delayed.add(task),
                        () -> {},
                        StoreExecutors.Callers.MUST_RUN);
        LsmStore store =
                LsmStore.open(
                        disk,
                        Model.DIRECTORY,
                        ROOMY,
                        executors,
                        new StoreClocks(() -> 0),
                        fatal::add);
        runAllButFlushes();
        run(flushes);
        for (int i = 0; i < 3000; i++) {
            writes.add(put(store, "key " + i, 1, new byte[1000]));
            if (i % 100 == 0) {
                runAllButFlushes();
            }
        }
        return store;
    }

    private void runAllButFlushes() {
        while (!log.isEmpty() || !completion.isEmpty() || !segments.isEmpty()) {
            logging = true;
            run(log);
            run(segments);
            logging = false;
            run(completion);
        }
    }

    private static void run(Queue<Runnable> queue) {
        while (!queue.isEmpty()) {
            queue.remove().run();
        }
    }

    private long done() {
        return writes.stream().filter(CompletableFuture::isDone).count();
    }

    @Test
    void writesSlowDownAsMemtablesFillBeforeTheyStop() {
        try (LsmStore store = openWithoutFlushes()) {
            int pauses = 0;
            long before = -1;
            while (!delayed.isEmpty()) {
                assertThat(delayed).as("one pause at a time").hasSize(1);
                assertThat(done()).isGreaterThan(before).isLessThan(writes.size());
                before = done();
                run(delayed);
                runAllButFlushes();
                pauses++;
            }
            assertThat(pauses).as("small steps").isGreaterThan(10);
            assertThat(store.figures().count("writes_delayed")).isPositive();

            while (done() < writes.size()) {
                run(flushes);
                run(delayed);
                runAllButFlushes();
            }
            assertThat(writes).noneMatch(CompletableFuture::isCompletedExceptionally);
            assertThat(fatal).isEmpty();
        }
    }

    @Test
    void closingBypassesThrottling() {
        LsmStore store = openWithoutFlushes();
        assertThat(delayed).hasSize(1);
        assertThat(done()).isLessThan(writes.size());
        store.close();
        assertThat(delayed).as("no timer was needed").hasSize(1);
        assertThat(writes).allMatch(CompletableFuture::isDone);
        assertThat(writes).noneMatch(CompletableFuture::isCompletedExceptionally);
        assertThat(disk.openFiles()).isZero();
        run(delayed);
    }

    @Test
    void flushingBypassesThrottling() {
        try (LsmStore store = openWithoutFlushes()) {
            assertThat(delayed).hasSize(1);
            long before = store.figures().count("flushes");
            store.flush();
            assertThat(store.figures().count("flushes")).isGreaterThan(before);
            assertThat(done()).isLessThan(writes.size());
        }
    }

    /** The disk always has space for a flush and never for a compaction. */
    @Test
    void writesContinueAtTheFloorWhileCompactionIsBlocked() {
        long clock = 0;
        List<Runnable> timers = new ArrayList<>();
        try (LsmStore store =
                LsmStore.open(
                        disk,
                        Model.DIRECTORY,
                        Model.TINY,
                        StoreExecutors.inPlace((millis, task) -> timers.add(task)),
                        new StoreClocks(() -> 0),
                        fatal::add)) {
            for (int i = 0; i < 1000; i++) {
                disk.setCapacity(disk.usedBytes() + 10_000);
                writes.add(put(store, "key " + i % 100, ++clock, new byte[200]));
                List<Runnable> due = List.copyOf(timers);
                timers.clear();
                due.forEach(Runnable::run);
            }
            Figures figures = store.figures();
            assertThat(figures.count("sstables_level_zero")).isGreaterThan(40);
            assertThat(figures.count("writes")).as("at the floor").isGreaterThan(990);
            assertThat(figures.count("writes_delayed")).isGreaterThan(500);

            disk.setCapacity(Long.MAX_VALUE);
            store.flush();
            assertThat(store.figures().count("sstables_level_zero")).isLessThan(4);
            long delayedBefore = store.figures().count("writes_delayed");
            writes.add(put(store, "key", ++clock, new byte[200]));
            assertThat(store.figures().count("writes_delayed")).isEqualTo(delayedBefore);
            assertThat(fatal).isEmpty();
        }
    }
}
