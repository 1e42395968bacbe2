package dev.quorate.storage.engine;

import static dev.quorate.storage.engine.Writes.bytes;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.quorate.storage.CorruptionException;
import dev.quorate.storage.Entry;
import dev.quorate.storage.EntryCursor;
import dev.quorate.storage.KeyValueStore;
import dev.quorate.storage.Lookup;
import dev.quorate.storage.StorageException;
import dev.quorate.storage.Timestamp;
import dev.quorate.storage.io.DiskFiles;
import dev.quorate.storage.io.StorageFiles;
import dev.quorate.storage.simulated.FaultyDisk;
import dev.quorate.storage.simulated.FaultyDisk.Keep;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A checkpoint contains every earlier acknowledged write or does not open; the store is unaffected.
 */
class CheckpointTest {

    private static final Path COPY = Path.of("/copy");

    private static LsmStore open(StorageFiles files, Path directory, StoreExecutors executors) {
        return LsmStore.open(
                files, directory, Model.TINY, executors, new StoreClocks(() -> 0), cause -> {});
    }

    private static LsmStore openInPlace(StorageFiles files, Path directory) {
        return open(files, directory, StoreExecutors.inPlace((millis, task) -> {}));
    }

    private static Entry entry(int number) {
        byte[] key = bytes("key %04d".formatted(number % 300));
        return Entry.value(key, new Timestamp(number + 1, 1), bytes("value " + number), 3);
    }

    private static List<Entry> everything(KeyValueStore store) {
        List<Entry> entries = new ArrayList<>();
        try (EntryCursor cursor = store.scan(new byte[0], null)) {
            while (cursor.next()) {
                entries.add(cursor.entry());
            }
        }
        return entries;
    }

    @Test
    void aCheckpointDuringWritesContainsEveryAcknowledgedOne(@TempDir Path directory) {
        DiskFiles files = new DiskFiles();
        Path home = directory.resolve("store");
        List<Path> copies = new ArrayList<>();
        List<Integer> acknowledged = new ArrayList<>();
        try (LsmStore store = open(files, home, StoreExecutors.threads("test"))) {
            AtomicInteger written = new AtomicInteger();
            AtomicBoolean enough = new AtomicBoolean();
            CompletableFuture<Void> writer =
                    CompletableFuture.runAsync(
                            () -> {
                                while (!enough.get()) {
                                    Writes.write(store, entry(written.get())).join();
                                    written.incrementAndGet();
                                }
                            });
            for (int i = 0; i < 5; i++) {
                int before = written.get();
                Path copy = directory.resolve("copy-" + i);
                store.checkpoint(copy);
                copies.add(copy);
                acknowledged.add(before);
                while (written.get() < before + 150 && !writer.isDone()) {
                    Thread.onSpinWait();
                }
            }
            enough.set(true);
            writer.join();
            // Later compactions of the store do not affect its checkpoints.
            store.flush();
        }
        for (int i = 0; i < copies.size(); i++) {
            requireWritesUpTo(files, copies.get(i), acknowledged.get(i));
        }
    }

    private static void requireWritesUpTo(DiskFiles files, Path copy, int acknowledged) {
        try (LsmStore store = open(files, copy, StoreExecutors.threads("copy"))) {
            for (int number = Math.max(0, acknowledged - 300); number < acknowledged; number++) {
                Entry expected = entry(number);
                assertThat(store.lookup(expected.key()))
                        .isInstanceOfSatisfying(
                                Lookup.Found.class,
                                found ->
                                        assertThat(found.entry().timestamp())
                                                .isGreaterThanOrEqualTo(expected.timestamp()));
            }
            // The checkpoint is an independent store.
            Writes.put(store, "more", 1 << 30, "of it").join();
            store.flush();
        }
    }

    @ParameterizedTest
    @EnumSource(Keep.class)
    void afterAPowerLossACheckpointIsCompleteOrDoesNotOpen(Keep keep) {
        SplittableRandom tosses = new SplittableRandom(3);
        FaultyDisk disk = new FaultyDisk();
        List<Entry> all = new ArrayList<>();
        AtomicInteger complete = new AtomicInteger();
        AtomicInteger refused = new AtomicInteger();
        try (LsmStore store = openInPlace(disk, Model.DIRECTORY)) {
            for (int number = 0; number < 200; number++) {
                all.add(entry(number));
                Writes.write(store, entry(number)).join();
            }
            Runnable examine =
                    () -> {
                        FaultyDisk after = disk.afterPowerLoss(keep, tosses);
                        try (LsmStore survivor = openInPlace(after, Model.DIRECTORY)) {
                            assertThat(everything(survivor)).isEqualTo(all);
                        }
                        if (after.list(COPY).isEmpty()) {
                            return;
                        }
                        try (LsmStore copy = openInPlace(after, COPY)) {
                            assertThat(everything(copy)).isEqualTo(all);
                            complete.incrementAndGet();
                        } catch (CorruptionException honest) {
                            refused.incrementAndGet();
                        }
                    };
            disk.beforeStep(step -> examine.run());
            store.checkpoint(COPY);
            disk.beforeStep(step -> {});
            assertThat(refused.get()).isPositive();
            complete.set(0);
            examine.run();
            assertThat(complete.get()).isEqualTo(1);
        }
    }

    @Test
    void aNonEmptyDirectoryIsRejectedUnchanged() {
        FaultyDisk disk = new FaultyDisk();
        try (LsmStore store = openInPlace(disk, Model.DIRECTORY)) {
            Writes.write(store, entry(1)).join();
            store.checkpoint(COPY);
            List<String> before = disk.list(COPY);
            for (Path taken : List.of(COPY, Model.DIRECTORY)) {
                assertThatThrownBy(() -> store.checkpoint(taken))
                        .isInstanceOf(StorageException.Io.class)
                        .hasMessageContaining("not empty");
            }
            assertThat(disk.list(COPY)).isEqualTo(before);
            Writes.write(store, entry(2)).join();
            assertThat(everything(store)).containsExactly(entry(1), entry(2));
        }
    }

    @Test
    void anEmptyStoreHasACheckpoint() {
        FaultyDisk disk = new FaultyDisk();
        try (LsmStore store = openInPlace(disk, Model.DIRECTORY)) {
            store.checkpoint(COPY);
        }
        try (LsmStore copy = openInPlace(disk, COPY)) {
            assertThat(everything(copy)).isEmpty();
        }
    }
}
