package dev.quorate.storage.engine;

import static dev.quorate.storage.engine.Writes.bytes;
import static dev.quorate.storage.engine.Writes.delete;
import static dev.quorate.storage.engine.Writes.put;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.quorate.storage.Durability;
import dev.quorate.storage.Entry;
import dev.quorate.storage.EntryCursor;
import dev.quorate.storage.KeyValueStore;
import dev.quorate.storage.Lookup;
import dev.quorate.storage.StorageException;
import dev.quorate.storage.StorageOptions;
import dev.quorate.storage.StoreListener;
import dev.quorate.storage.Timestamp;
import dev.quorate.storage.io.DiskFiles;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The store on a real disk with its own threads: write, read, close, reopen. */
class StoreOnRealDiskTest {

    private static final StorageOptions SMALL =
            StorageOptions.defaults()
                    .withMemtableBytes(64 << 10)
                    .withSegmentBytes(64 << 10)
                    .withReservedDiskBytes(0);

    @TempDir private Path directory;

    @Test
    void acknowledgedWritesSurviveAReopening() {
        try (KeyValueStore store = open(SMALL)) {
            List<CompletableFuture<Timestamp>> writes = new ArrayList<>();
            for (int i = 0; i < 5_000; i++) {
                writes.add(put(store, key(i), i + 1, "value " + i));
            }
            for (int i = 0; i < 5_000; i += 10) {
                writes.add(delete(store, key(i), 10_000 + i));
            }
            writes.forEach(CompletableFuture::join);
            check(store);
            assertThat(store.figures().count("flushes")).isPositive();
        }
        try (KeyValueStore store = open(SMALL)) {
            check(store);
            assertThat(store.recoverySummary()).contains("0 bytes of torn tail");
            assertThat(store.newestTimestamp()).isEqualTo(new Timestamp(14_990, 1));
            store.flush();
            check(store);
        }
        try (KeyValueStore store = open(SMALL)) {
            check(store);
            assertThat(store.recoverySummary()).contains(" 0 entries replayed");
        }
    }

    private static void check(KeyValueStore store) {
        for (int i = 0; i < 5_000; i++) {
            Entry entry = ((Lookup.Found) store.lookup(bytes(key(i)))).entry();
            if (i % 10 == 0) {
                assertThat(entry.isTombstone()).isTrue();
            } else {
                assertThat(entry.value()).isEqualTo(bytes("value " + i));
            }
        }
        assertThat(store.lookup(bytes("nothing"))).isEqualTo(Lookup.Absent.ABSENT);
        try (EntryCursor cursor = store.scan(bytes(key(1_000)), bytes(key(2_000)))) {
            int expected = 1_000;
            while (cursor.next()) {
                assertThat(cursor.entry().key()).isEqualTo(bytes(key(expected++)));
            }
            assertThat(expected).isEqualTo(2_000);
        }
    }

    @Test
    void aLateEntryDoesNotSupersedeANewerOne() {
        try (KeyValueStore store = open(SMALL)) {
            put(store, key(1), 50, "new").join();
            store.flush();
            assertThat(put(store, key(1), 20, "old").join()).isEqualTo(new Timestamp(50, 1));
            assertThat(((Lookup.Found) store.lookup(bytes(key(1)))).entry().value())
                    .isEqualTo(bytes("new"));
            store.flush();
            assertThat(((Lookup.Found) store.lookup(bytes(key(1)))).entry().value())
                    .isEqualTo(bytes("new"));
        }
    }

    @Test
    void aValueLargerThanASegmentGetsASegmentOfItsOwn() {
        byte[] large = new byte[1 << 20];
        large[77] = 7;
        try (KeyValueStore store = open(SMALL)) {
            for (int i = 0; i < 5; i++) {
                put(store, key(i), 1, "small").join();
                put(store, key(100 + i), 2, large).join();
            }
        }
        try (KeyValueStore store = open(SMALL)) {
            for (int i = 0; i < 5; i++) {
                assertThat(((Lookup.Found) store.lookup(bytes(key(100 + i)))).entry().value())
                        .isEqualTo(large);
                assertThat(((Lookup.Found) store.lookup(bytes(key(i)))).entry().value())
                        .isEqualTo(bytes("small"));
            }
        }
    }

    @Test
    void aSecondStoreInTheSameDirectoryIsRejected() {
        try (KeyValueStore store = open(SMALL)) {
            put(store, key(1), 1, "mine").join();
            assertThatThrownBy(() -> open(SMALL))
                    .isInstanceOf(StorageException.InUse.class)
                    .hasMessageContaining("LOCK is held by this process");
            put(store, key(1), 2, "still mine").join();
        }
    }

    @Test
    void asynchronousWritesAreForcedWithinTheirWindow() {
        try (KeyValueStore store = open(SMALL.withDurability(Durability.ASYNC))) {
            for (int i = 0; i < 100; i++) {
                put(store, key(i), 1, "value").join();
            }
            await().until(() -> fsyncs.get() > 0);
            assertThat(store.figures().count("writes")).isEqualTo(100);
        }
        try (KeyValueStore store = open(SMALL)) {
            assertThat(store.lookup(bytes(key(99)))).isInstanceOf(Lookup.Found.class);
        }
    }

    @Test
    void aClosedStoreRejectsOperations() {
        KeyValueStore store = open(SMALL);
        store.close();
        store.close();
        assertThatThrownBy(() -> put(store, key(1), 1, "late").join())
                .hasCauseInstanceOf(StorageException.Closed.class);
        assertThatThrownBy(() -> store.lookup(bytes(key(1))))
                .isInstanceOf(StorageException.Closed.class);
    }

    private final AtomicInteger fsyncs = new AtomicInteger();

    private KeyValueStore open(StorageOptions options) {
        return LsmStore.open(
                new DiskFiles(),
                directory.resolve("store"),
                options,
                StoreExecutors.threads("test"),
                new StoreClocks(System::nanoTime),
                new StoreListener() {
                    @Override
                    public void stopped(StorageException cause) {
                        throw new AssertionError(cause);
                    }

                    @Override
                    public void logForced(long nanos) {
                        fsyncs.incrementAndGet();
                    }
                });
    }

    private static String key(int number) {
        return "key %06d".formatted(number);
    }
}
