package dev.quorate.storage.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quorate.storage.StorageException;
import dev.quorate.storage.StoreListener;
import dev.quorate.storage.simulated.FaultyDisk;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The scrub reads every table once per interval, across reopenings of the store. */
class ScrubTest {

    private static final long INTERVAL_MILLIS = 100_000;
    private static final int TABLES = 3;

    private final FaultyDisk disk = new FaultyDisk();
    private final List<Runnable> delayed = new ArrayList<>();
    private final List<StorageException> damaged = new ArrayList<>();
    private long wallMillis = 7 * INTERVAL_MILLIS;

    private LsmStore open(long intervalMillis) {
        return LsmStore.open(
                disk,
                Model.DIRECTORY,
                Model.TINY.withScrubMillis(intervalMillis),
                StoreExecutors.inPlace((millis, task) -> delayed.add(task)),
                new StoreClocks(() -> 0, () -> wallMillis),
                new StoreListener() {
                    @Override
                    public void stopped(StorageException cause) {
                        throw cause;
                    }

                    @Override
                    public void damaged(StorageException cause) {
                        damaged.add(cause);
                    }
                });
    }

    private void fill() {
        try (LsmStore store = open(0)) {
            for (int i = 0; i < TABLES; i++) {
                Writes.put(store, "key " + i, 1 + i, "value").join();
                store.flush();
            }
            assertThat(delayed).as("off").isEmpty();
        }
    }

    private List<Path> tables() {
        return disk.list(Model.DIRECTORY).stream()
                .filter(name -> name.endsWith(".sst"))
                .sorted()
                .map(Model.DIRECTORY::resolve)
                .toList();
    }

    /** Advances the time in steps, and runs the delayed tasks in each. */
    private void passTime(long millis, int steps) {
        for (int i = 0; i < steps; i++) {
            wallMillis += millis / steps;
            List<Runnable> due = List.copyOf(delayed);
            delayed.clear();
            due.forEach(Runnable::run);
        }
    }

    @Test
    void eachTableIsReadOncePerInterval() {
        fill();
        try (LsmStore store = open(INTERVAL_MILLIS)) {
            long bytes = store.figures().count("sstable_size_bytes");
            passTime(INTERVAL_MILLIS, 20);
            assertThat(store.figures().count("scrubbed_bytes")).isEqualTo(bytes);
            passTime(2 * INTERVAL_MILLIS, 20);
            assertThat(store.figures().count("scrubbed_bytes")).isEqualTo(3 * bytes);
        }
        assertThat(damaged).isEmpty();
    }

    @Test
    void thePositionSurvivesAReopening() {
        fill();
        long scrubbed = 0;
        long bytes = 0;
        for (int i = 0; i < 10; i++) {
            try (LsmStore store = open(INTERVAL_MILLIS)) {
                passTime(INTERVAL_MILLIS / 10, 5);
                scrubbed += store.figures().count("scrubbed_bytes");
                bytes = store.figures().count("sstable_size_bytes");
            }
            delayed.clear();
        }
        assertThat(scrubbed).isEqualTo(bytes);
    }

    /** In a block, and at the end of the file, without which the store would not reopen. */
    @Test
    void damageInColdDataIsFound() {
        fill();
        List<Path> tables = tables();
        assertThat(tables).hasSize(TABLES);
        try (LsmStore store = open(INTERVAL_MILLIS)) {
            disk.flip(tables.get(0), 5);
            disk.flip(tables.get(2), disk.read(tables.get(2)).length - 3);
            passTime(INTERVAL_MILLIS, 10);
            assertThat(damaged).hasSize(2);
            assertThat(store.damage()).hasSize(2);
            assertThat(store.figures().count("damaged_ranges")).isEqualTo(2);
            for (int i = 0; i < TABLES; i++) {
                // As other replicas would provide them.
                assertThat(Writes.put(store, "key " + i, 1 + i, "value")).isNotNull();
            }
            store.damage().forEach(store::heal);
            assertThat(store.damage()).isEmpty();
        }
        try (LsmStore store = open(INTERVAL_MILLIS)) {
            for (int i = 0; i < TABLES; i++) {
                assertThat(Model.find(store.lookup(Writes.bytes("key " + i)))).isNotNull();
            }
        }
    }
}
