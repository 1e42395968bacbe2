package dev.quorate.storage.engine;

import static dev.quorate.storage.engine.Writes.bytes;
import static dev.quorate.storage.engine.Writes.put;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.quorate.storage.CorruptionException;
import dev.quorate.storage.Entry;
import dev.quorate.storage.Figures;
import dev.quorate.storage.Lookup;
import dev.quorate.storage.StorageException;
import dev.quorate.storage.StoreListener;
import dev.quorate.storage.Timestamp;
import dev.quorate.storage.WriteCompletion;
import dev.quorate.storage.simulated.FaultyDisk;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** A damaged table does not stop the compaction of the others. */
class DamagedTablesTest {

    private static final int KEYS = 100;

    private final FaultyDisk disk = new FaultyDisk();
    private final List<StorageException> damaged = new ArrayList<>();
    private final List<StorageException> stopped = new ArrayList<>();
    private long clock;

    private LsmStore open() {
        return LsmStore.open(
                disk,
                Model.DIRECTORY,
                Model.TINY,
                StoreExecutors.inPlace((millis, task) -> {}),
                new StoreClocks(() -> 0),
                new StoreListener() {
                    @Override
                    public void stopped(StorageException cause) {
                        stopped.add(cause);
                    }

                    @Override
                    public void damaged(StorageException cause) {
                        damaged.add(cause);
                    }
                });
    }

    private void writeAll(LsmStore store, int rounds) {
        for (int round = 0; round < rounds; round++) {
            for (int i = 0; i < KEYS; i++) {
                assertThat(put(store, "key " + i, ++clock, new byte[50])).isCompleted();
            }
            store.flush();
        }
    }

    /** Flips a bit in the first block of the table, which opening does not read. */
    private void damage(Path table) {
        byte[] bytes = disk.read(table);
        bytes[5] ^= 1;
        disk.replace(table, bytes);
    }

    private List<Path> tables() {
        return disk.list(Model.DIRECTORY).stream()
                .filter(name -> name.endsWith(".sst"))
                .sorted()
                .map(Model.DIRECTORY::resolve)
                .toList();
    }

    private static OptionalInt firstUnreadable(LsmStore store) {
        return IntStream.range(0, KEYS)
                .filter(
                        i -> {
                            try {
                                return !(store.lookup(bytes("key " + i)) instanceof Lookup.Found);
                            } catch (CorruptionException e) {
                                return true;
                            }
                        })
                .findFirst();
    }

    /** Several writes complete with the timestamp of the last, which needs no look-up. */
    @Test
    void aLateWriteReadsTablesOnlyIfItNeedsTheNewestTimestamp() {
        try (LsmStore store = open()) {
            clock = 1_000;
            writeAll(store, 1);
        }
        damage(tables().getFirst());
        try (LsmStore store = open()) {
            Entry late = Entry.value(bytes("key 0"), new Timestamp(1, 1), bytes("old"), 3);
            assertThat(Writes.write(store, late)).isCompletedExceptionally();
            CompletableFuture<Timestamp> several = new CompletableFuture<>();
            store.write(
                    List.of(late, late),
                    new WriteCompletion() {
                        @Override
                        public void stored(Timestamp newest) {
                            several.complete(newest);
                        }

                        @Override
                        public void failed(StorageException cause) {
                            several.completeExceptionally(cause);
                        }
                    });
            assertThat(several).isCompletedWithValue(late.timestamp());
        }
    }

    @Test
    void otherTablesAreStillCompacted() {
        try (LsmStore store = open()) {
            writeAll(store, 8);
            assertThat(store.figures().count("compactions")).isPositive();
        }
        // The largest one is below level 0, and every merge from level 0 overlaps it.
        Path victim =
                tables().stream()
                        .max((a, b) -> Integer.compare(disk.read(a).length, disk.read(b).length))
                        .orElseThrow();
        damage(victim);
        try (LsmStore store = open()) {
            writeAll(store, 100);
            Figures figures = store.figures();
            assertThat(figures.count("compactions")).isGreaterThan(10);
            assertThat(figures.count("sstables_level_zero")).isLessThan(8);
            assertThat(figures.count("sstables_damaged")).isEqualTo(1);
            assertThat(figures.count("checksum_failures")).isPositive();
            assertThat(damaged).hasSize(1);
            CorruptionException cause = (CorruptionException) damaged.getFirst();
            assertThat(cause.file()).isEqualTo(String.valueOf(victim.getFileName()));
            assertThat(cause.offset()).isZero();
            assertThat(stopped).isEmpty();
            // All damaged entries have been overwritten since.
            assertThat(firstUnreadable(store)).isEmpty();
        }
        assertThat(tables()).as("it is not deleted").contains(victim);
        assertThat(disk.openFiles()).isZero();
        // After reopening it is used again and reported again, and compacted if it is intact.
        try (LsmStore store = open()) {
            writeAll(store, 8);
            assertThat(damaged).hasSize(2);
        }
        damage(victim);
        try (LsmStore store = open()) {
            writeAll(store, 8);
            assertThat(damaged).hasSize(2);
            assertThat(store.figures().count("sstables_damaged")).isZero();
        }
        assertThat(tables()).doesNotContain(victim);
    }

    @Test
    void damagedTablesAreReportedWhileNewOnesAreCompacted() {
        try (LsmStore store = open()) {
            writeAll(store, 8);
            // The next compaction includes all of level 0.
            do {
                put(store, "only here", ++clock, new byte[50]).join();
                store.flush();
            } while (store.figures().count("sstables_level_zero") == 0);
        }
        tables().forEach(this::damage);
        try (LsmStore store = open()) {
            for (int i = 0; i < 50; i++) {
                put(store, "another " + i, ++clock, new byte[50]).join();
                store.flush();
            }
            assertThat(store.figures().count("sstables_damaged")).isPositive();
            assertThat(store.figures().count("sstables_level_zero")).isLessThan(16);
            assertThatThrownBy(() -> store.lookup(bytes("key 0")))
                    .isInstanceOf(CorruptionException.class);
            assertThat(store.lookup(bytes("another 7"))).isInstanceOf(Lookup.Found.class);
            assertThat(stopped).isEmpty();
        }
        assertThat(disk.openFiles()).isZero();
    }
}
