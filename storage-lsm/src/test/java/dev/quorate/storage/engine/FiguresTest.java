package dev.quorate.storage.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.quorate.storage.CorruptionException;
import dev.quorate.storage.EntryCursor;
import dev.quorate.storage.simulated.FaultyDisk;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** Figures are current when they are read. */
class FiguresTest {

    private final FaultyDisk disk = new FaultyDisk();

    @Test
    void aScanCountsCorruptionOnce() {
        try (LsmStore store = Model.open(disk)) {
            for (int i = 0; i < 20; i++) {
                Writes.put(store, "key " + i, 1 + i, "value ".repeat(10)).join();
            }
            store.flush();
        }
        Path table =
                disk.list(Model.DIRECTORY).stream()
                        .filter(name -> name.endsWith(".sst"))
                        .map(Model.DIRECTORY::resolve)
                        .findFirst()
                        .orElseThrow();
        byte[] bytes = disk.read(table);
        bytes[700] ^= 1;
        disk.replace(table, bytes);
        try (LsmStore store = Model.open(disk)) {
            long before = store.figures().count("checksum_failures");
            try (EntryCursor cursor = store.scan(new byte[0], null)) {
                for (int attempt = 0; attempt < 2; attempt++) {
                    assertThatThrownBy(
                                    () -> {
                                        while (cursor.next()) {
                                            assertThat(cursor.entry().valueBytes()).isEqualTo(60);
                                        }
                                    })
                            .isInstanceOf(CorruptionException.class);
                }
            }
            assertThat(store.figures().count("checksum_failures")).isEqualTo(before + 1);
        }
    }

    @Test
    void theFreeSpaceIsCurrentWithoutWrites() {
        disk.setCapacity(10 << 20);
        AtomicLong nanos = new AtomicLong();
        try (LsmStore store =
                LsmStore.open(
                        disk,
                        Model.DIRECTORY,
                        Model.TINY,
                        StoreExecutors.inPlace((millis, task) -> {}),
                        new StoreClocks(nanos::get),
                        cause -> {
                            throw cause;
                        })) {
            disk.setCapacity(5 << 20);
            nanos.addAndGet(1_000_000_000);
            assertThat(store.figures().count("disk_free_bytes"))
                    .isEqualTo(disk.freeBytes(Model.DIRECTORY));
        }
    }
}
