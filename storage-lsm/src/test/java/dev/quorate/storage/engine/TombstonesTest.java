package dev.quorate.storage.engine;

import static dev.quorate.storage.engine.Writes.bytes;
import static dev.quorate.storage.engine.Writes.delete;
import static dev.quorate.storage.engine.Writes.put;
import static org.assertj.core.api.Assertions.assertThat;

import dev.quorate.storage.Entry;
import dev.quorate.storage.Figures;
import dev.quorate.storage.Lookup;
import dev.quorate.storage.StoreListener;
import dev.quorate.storage.Timestamp;
import dev.quorate.storage.compaction.Compactor;
import dev.quorate.storage.simulated.FaultyDisk;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** Up to the caller's watermark, tombstones that shadow nothing are dropped. */
class TombstonesTest {

    private static final int KEYS = 100;

    private final FaultyDisk disk = new FaultyDisk();
    private final AtomicLong wallMillis = new AtomicLong(1_000);

    private LsmStore open() {
        return open(StoreExecutors.inPlace((millis, task) -> {}));
    }

    private LsmStore open(StoreExecutors executors) {
        StoreListener listener = cause -> {};
        return LsmStore.open(
                disk,
                Model.DIRECTORY,
                Model.TINY,
                executors,
                new StoreClocks(() -> 0, wallMillis::get),
                listener);
    }

    private static Timestamp stamp(long clock) {
        return new Timestamp(clock, 1);
    }

    private static void requireFound(LsmStore store, Entry expected) {
        assertThat(store.lookup(expected.key())).isEqualTo(new Lookup.Found(expected));
    }

    private static void requireAbsent(LsmStore store, String key) {
        assertThat(store.lookup(bytes(key))).isEqualTo(Lookup.Absent.ABSENT);
    }

    @Test
    void aDeletedDataSetIsDroppedWithoutFurtherWrites() {
        try (LsmStore store = open()) {
            for (int i = 0; i < KEYS; i++) {
                put(store, "key " + i, 1_000 + i, new byte[100]).join();
            }
            store.flush();
            for (int i = 0; i < KEYS; i++) {
                delete(store, "key " + i, 2_000 + i).join();
            }
            long tableBytes = store.figures().count("sstable_size_bytes");
            assertThat(tableBytes).isGreaterThan(50 * KEYS);
            store.collectTombstones(stamp(1_999));
            requireFound(store, Entry.tombstone(bytes("key 7"), stamp(2_007), 3));
            assertThat(store.figures().count("tombstones_dropped")).isZero();

            // The last tombstones are in the memtable, which is flushed for them.
            store.collectTombstones(stamp(3_000));
            Figures figures = store.figures();
            assertThat(figures.count("sstables")).isZero();
            assertThat(figures.count("tombstones")).isZero();
            assertThat(figures.value("tombstone_oldest_timestamp_seconds")).isNaN();
            assertThat(figures.count("tombstones_dropped")).isEqualTo(KEYS);
            assertThat(store.tombstonesCollectedUpTo()).isEqualTo(stamp(3_000));
            requireAbsent(store, "key 7");
            assertThat(store.newestTimestamp()).isEqualTo(stamp(2_099));
        }
        try (LsmStore store = open()) {
            requireAbsent(store, "key 7");
            assertThat(store.newestTimestamp()).isEqualTo(stamp(2_099));
            assertThat(store.tombstonesCollectedUpTo()).isEqualTo(Timestamp.ZERO);
        }
        assertThat(disk.openFiles()).isZero();
    }

    @Test
    void theWatermarkNeverDecreases() {
        try (LsmStore store = open()) {
            store.collectTombstones(stamp(50));
            store.collectTombstones(stamp(40));
            assertThat(store.tombstonesCollectedUpTo()).isEqualTo(stamp(50));
            delete(store, "later", 60).join();
            store.flush();
            assertThat(store.figures().count("tombstones")).isEqualTo(1);
            assertThat(store.figures().value("tombstone_oldest_timestamp_seconds"))
                    .isEqualTo(stamp(60).wallMillis() / 1e3);
            store.collectTombstones(stamp(60));
            assertThat(store.figures().count("tombstones")).isZero();
        }
    }

    /** The late value is in no table yet when the tombstone's table is merged. */
    @Test
    void aTombstoneThatShadowsAMemtableEntryIsRetained() {
        try (LsmStore store = open()) {
            delete(store, "a", 9).join();
            put(store, "b", 9, "v").join();
            store.flush();
            delete(store, "c", 7).join();
            store.flush();
            put(store, "a", 8, "late").join();
            store.collectTombstones(stamp(10));
            assertThat(store.figures().count("compactions")).isPositive();
            requireAbsent(store, "c");
            requireFound(store, Entry.tombstone(bytes("a"), stamp(9), 3));
        }
        try (LsmStore store = open()) {
            requireFound(store, Entry.tombstone(bytes("a"), stamp(9), 3));
            // Now the value is in a table.
            store.collectTombstones(stamp(10));
            requireAbsent(store, "a");
            assertThat(store.figures().count("tombstones")).isZero();
        }
    }

    @Test
    void aTombstoneThatMayShadowAnUnreadableEntryIsRetained() {
        try (LsmStore store = open()) {
            put(store, "a", 1, "old").join();
            put(store, "z", 1, "old").join();
            store.flush();
        }
        Path victim = tables().getFirst();
        byte[] bytes = disk.read(victim);
        bytes[5] ^= 1;
        disk.replace(victim, bytes);
        try (LsmStore store = open()) {
            delete(store, "a", 5).join();
            delete(store, "b", 5).join();
            store.flush();
            store.collectTombstones(stamp(10));
            // Tried, found damaged, and excluded from then on.
            assertThat(store.figures().count("sstables_damaged")).isEqualTo(1);
            for (int i = 0; i < 8; i++) {
                put(store, "c", 20 + i, "v").join();
                store.flush();
            }
            assertThat(store.figures().count("compactions")).isPositive();
            requireFound(store, Entry.tombstone(bytes("a"), stamp(5), 3));
        }
        bytes[5] ^= 1;
        disk.replace(victim, bytes);
        try (LsmStore store = open()) {
            requireFound(store, Entry.tombstone(bytes("a"), stamp(5), 3));
            store.collectTombstones(stamp(10));
            for (int i = 0; i < 8; i++) {
                put(store, "c", 40 + i, "v").join();
                store.flush();
            }
            requireAbsent(store, "a");
            assertThat(Model.find(store.lookup(bytes("z")))).isNotNull();
        }
    }

    private List<Path> tables() {
        return disk.list(Model.DIRECTORY).stream()
                .filter(name -> name.endsWith(".sst"))
                .sorted()
                .map(Model.DIRECTORY::resolve)
                .toList();
    }

    @Test
    void theWatermarkWaitsForPendingWrites() {
        Queue<Runnable> logTasks = new ArrayDeque<>();
        StoreExecutors executors =
                new StoreExecutors(
                        logTasks::add,
                        Runnable::run,
                        Runnable::run,
                        (millis, task) -> {},
                        () -> {},
                        StoreExecutors.Callers.MUST_RUN);
        try (LsmStore store = open(executors)) {
            var deleted = delete(store, "a", 5);
            run(logTasks);
            assertThat(deleted).isCompleted();
            store.flush();
            var late = put(store, "a", 1, "late");
            store.collectTombstones(stamp(10));
            var after = put(store, "after", 11, "v");
            assertThat(store.tombstonesCollectedUpTo()).isEqualTo(Timestamp.ZERO);
            assertThat(store.figures().count("tombstones")).isEqualTo(1);
            run(logTasks);
            assertThat(late).isCompletedWithValue(stamp(5));
            assertThat(after).isCompleted();
            assertThat(store.tombstonesCollectedUpTo()).isEqualTo(stamp(10));
            requireFound(store, Entry.tombstone(bytes("a"), stamp(5), 3));
            store.flush();
            requireAbsent(store, "a");
        }
    }

    private static void run(Queue<Runnable> tasks) {
        while (!tasks.isEmpty()) {
            tasks.remove().run();
        }
    }

    @Test
    void expiredValuesAreDroppedDirectly() {
        try (LsmStore store = open()) {
            for (int i = 0; i < KEYS; i++) {
                Entry brief =
                        Entry.expiring(bytes("key " + i), stamp(100 + i), new byte[50], 3, 2_000);
                Writes.write(store, brief).join();
            }
            store.flush();
            store.collectTombstones(stamp(1_000));
            wallMillis.set(2_000 + Compactor.EXPIRY_GRACE_MILLIS);
            put(store, "other", 1_001, "v").join();
            store.flush();
            assertThat(store.figures().count("tombstones")).isZero();
            assertThat(store.figures().count("tombstones_dropped")).isEqualTo(KEYS);
            requireAbsent(store, "key 7");
        }
    }
}
