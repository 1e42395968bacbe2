package dev.quorate.storage.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quorate.storage.Durability;
import dev.quorate.storage.Entry;
import dev.quorate.storage.EntryCursor;
import dev.quorate.storage.Scale;
import dev.quorate.storage.StorageException;
import dev.quorate.storage.StorageOptions;
import dev.quorate.storage.Timestamp;
import dev.quorate.storage.WriteCompletion;
import dev.quorate.storage.io.DiskFiles;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * An interrupted thread that uses a file channel closes it. Threads that use a store may be
 * interrupted at any time, which must not affect the store or other threads.
 */
class InterruptedThreadTest {

    private static final int KEYS = 200;
    private static final StorageOptions SMALL =
            StorageOptions.defaults()
                    .withMemtableBytes(16 << 10)
                    .withSegmentBytes(32 << 10)
                    .withReservedDiskBytes(0);

    @TempDir private Path directory;

    private LsmStore open(Durability durability) {
        return LsmStore.open(
                new DiskFiles(),
                directory,
                SMALL.withDurability(durability),
                StoreExecutors.threads("interrupted"),
                new StoreClocks(System::nanoTime),
                cause -> {});
    }

    @AfterEach
    void forget() {
        assertThat(Thread.interrupted()).as("leaked into the next test").isFalse();
    }

    /** Waits like a caller that ignores interrupts. */
    private static void put(LsmStore store, int key, long clock) {
        CompletableFuture<Timestamp> told = Writes.put(store, "key " + key, clock, new byte[100]);
        assertThat(told.join()).isNotNull();
    }

    private static void checkAll(LsmStore store, long clock) {
        int found = 0;
        try (EntryCursor cursor = store.scan(new byte[0], null)) {
            while (cursor.next()) {
                found++;
            }
        }
        assertThat(found).isEqualTo(KEYS);
        for (int key = 0; key < KEYS; key++) {
            Entry entry = Model.find(store.lookup(Writes.bytes("key " + key)));
            assertThat(entry).isNotNull();
            assertThat(entry.timestamp().hybrid()).isEqualTo(clock);
        }
    }

    @ParameterizedTest
    @EnumSource
    void anInterruptBeforeACallIsHarmless(Durability durability) {
        try (LsmStore store = open(durability)) {
            for (int clock = 1; clock <= 5; clock++) {
                for (int key = 0; key < KEYS; key++) {
                    Thread.currentThread().interrupt();
                    put(store, key, clock);
                }
                store.flush();
                checkAll(store, clock);
                assertThat(Thread.interrupted()).as("still interrupted").isTrue();
            }
            store.figures().snapshot();
            Thread.currentThread().interrupt();
        }
        Thread.currentThread().interrupt();
        try (LsmStore again = open(durability)) {
            put(again, 0, 5);
            again.flush();
            checkAll(again, 5);
            assertThat(Thread.interrupted()).isTrue();
        }
    }

    /** A completion runs on the store's threads and may leave them interrupted. */
    @ParameterizedTest
    @EnumSource
    void aCompletionMayLeaveItsThreadInterrupted(Durability durability) {
        try (LsmStore store = open(durability)) {
            for (int i = 0; i < 2 * KEYS; i++) {
                CompletableFuture<Timestamp> told = new CompletableFuture<>();
                store.write(
                        Entry.value(
                                Writes.bytes("key " + i % KEYS),
                                new Timestamp(1 + i / KEYS, 1),
                                new byte[100],
                                1),
                        new WriteCompletion() {
                            @Override
                            public void stored(Timestamp newest) {
                                Thread.currentThread().interrupt();
                                told.complete(newest);
                            }

                            @Override
                            public void failed(StorageException cause) {
                                told.completeExceptionally(cause);
                            }
                        });
                assertThat(told.join()).isNotNull();
            }
            store.flush();
            checkAll(store, 2);
        }
    }

    /** Interrupts arrive at any moment of a call. */
    @ParameterizedTest
    @EnumSource
    void anInterruptDuringACallIsHarmless(Durability durability) throws Exception {
        SplittableRandom random = new SplittableRandom(Scale.seed("InterruptedThreadTest"));
        AtomicBoolean over = new AtomicBoolean();
        try (LsmStore store = open(durability);
                ExecutorService executor = Executors.newFixedThreadPool(3)) {
            for (int key = 0; key < KEYS; key++) {
                put(store, key, 1);
            }
            List<Thread> users = new ArrayList<>();
            List<Future<Void>> results = new ArrayList<>();
            List<Callable<Void>> uses =
                    List.of(
                            () -> {
                                while (!over.get()) {
                                    checkAll(store, 1);
                                }
                                return null;
                            },
                            () -> {
                                while (!over.get()) {
                                    put(store, 0, 1);
                                }
                                return null;
                            },
                            () -> {
                                while (!over.get()) {
                                    put(store, 1, 1);
                                    store.flush();
                                }
                                return null;
                            });
            for (Callable<Void> use : uses) {
                CompletableFuture<Thread> user = new CompletableFuture<>();
                results.add(
                        executor.submit(
                                () -> {
                                    user.complete(Thread.currentThread());
                                    return use.call();
                                }));
                users.add(user.join());
            }
            try {
                for (int i = 0; i < Scale.of(20_000, 40); i++) {
                    users.get(random.nextInt(users.size())).interrupt();
                    put(store, 2, 1);
                }
            } finally {
                over.set(true);
            }
            for (Future<Void> result : results) {
                result.get();
            }
            checkAll(store, 1);
        }
    }
}
