package dev.quorate.storage.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quorate.storage.Entry;
import dev.quorate.storage.EntryCursor;
import dev.quorate.storage.Scale;
import dev.quorate.storage.StorageException;
import dev.quorate.storage.engine.SuperVersion.References;
import dev.quorate.storage.simulated.FaultyDisk;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLongArray;
import org.junit.jupiter.api.Test;

/**
 * Readers, writers, flushes, compactions and the close of the store, on real threads. Each key is a
 * register whose value only grows: a read must return at least every value acknowledged or read
 * before it began, and at most the last value written before it ended. For such a register this is
 * linearizability.
 */
class ThreadsMeetTest {

    private static final int READERS = 3;
    private static final int KEYS = 16;
    private static final int WRITES = 300;

    @Test
    void aResourceIsDisposedOnceAfterItsLastReference() throws Exception {
        CyclicBarrier start = new CyclicBarrier(READERS + 1);
        try (ExecutorService executor = Executors.newFixedThreadPool(READERS)) {
            for (int round = 0; round < Scale.of(40_000, 20); round++) {
                AtomicInteger disposals = new AtomicInteger();
                References references = new References(disposals::incrementAndGet);
                List<Future<?>> users = new ArrayList<>();
                for (int user = 0; user < READERS; user++) {
                    users.add(executor.submit(() -> use(references, disposals, start)));
                }
                start.await();
                references.retire();
                for (Future<?> user : users) {
                    user.get();
                }
                assertThat(disposals.get()).as("round %d", round).isEqualTo(1);
            }
        }
    }

    private static Void use(References references, AtomicInteger disposals, CyclicBarrier start)
            throws Exception {
        start.await();
        int token = references.tryRetain();
        while (token >= 0) {
            assertThat(disposals.get()).as("in use").isZero();
            Thread.onSpinWait();
            assertThat(disposals.get()).as("in use").isZero();
            references.release(token);
            token = references.tryRetain();
        }
        return null;
    }

    /** The bounds of each key, shared by all threads. */
    private static final class Registers {
        final AtomicLongArray submitted = new AtomicLongArray(KEYS);
        final AtomicLongArray known = new AtomicLongArray(KEYS);

        void learn(int key, long value) {
            known.accumulateAndGet(key, value, Math::max);
        }

        void check(int key, long atLeast, long found) {
            assertThat(found).isBetween(atLeast, submitted.get(key));
            learn(key, found);
        }
    }

    @Test
    void readsAreLinearizableUntilTheStoreCloses() throws Exception {
        long seed = Scale.seed("ThreadsMeetTest");
        for (int round = 0; round < Scale.of(200, 20); round++) {
            SplittableRandom random = new SplittableRandom(seed + round);
            FaultyDisk disk = new FaultyDisk();
            LsmStore store =
                    LsmStore.open(
                            disk,
                            Model.DIRECTORY,
                            Model.TINY,
                            StoreExecutors.threads("meet"),
                            new StoreClocks(System::nanoTime),
                            cause -> {
                                throw cause;
                            });
            Registers registers = new Registers();
            try (ExecutorService executor = Executors.newFixedThreadPool(READERS)) {
                List<Future<Void>> readers = new ArrayList<>();
                for (int reader = 0; reader < READERS; reader++) {
                    readers.add(executor.submit(reader(store, registers, random.split())));
                }
                if (random.nextBoolean()) {
                    // A look-up of any other key must search the tables.
                    Writes.put(store, "newest of all", 1L << 40, "").join();
                    store.flush();
                }
                for (long i = 1; i <= WRITES; i++) {
                    int key = random.nextInt(KEYS);
                    long late = registers.known.get(key) - random.nextInt(4);
                    if (late > 0) {
                        Writes.put(store, "key " + key, late, new byte[10]).join();
                    }
                    registers.submitted.set(key, i);
                    Writes.put(store, "key " + key, i, new byte[random.nextInt(200)]).join();
                    registers.learn(key, i);
                    if (random.nextInt(60) == 0) {
                        store.flush();
                    }
                }
                store.close();
                for (Future<Void> reader : readers) {
                    reader.get();
                }
            }
            assertThat(disk.openFiles()).as("round %d", round).isZero();
            try (LsmStore again = Model.open(disk)) {
                for (int key = 0; key < KEYS; key++) {
                    registers.check(key, registers.known.get(key), find(again, key));
                }
            }
        }
    }

    private static Callable<Void> reader(
            LsmStore store, Registers registers, SplittableRandom random) {
        return () -> {
            try {
                while (true) {
                    if (random.nextInt(10) == 0) {
                        walk(store, registers);
                    } else {
                        int key = random.nextInt(KEYS);
                        long atLeast = registers.known.get(key);
                        registers.check(key, atLeast, find(store, key));
                    }
                }
            } catch (StorageException.Closed expected) {
                return null;
            }
        };
    }

    private static long find(LsmStore store, int key) {
        Entry found = Model.find(store.lookup(Writes.bytes("key " + key)));
        return found == null ? 0 : found.timestamp().hybrid();
    }

    private static void walk(LsmStore store, Registers registers) {
        long[] atLeast = new long[KEYS];
        for (int key = 0; key < KEYS; key++) {
            atLeast[key] = registers.known.get(key);
        }
        long[] found = new long[KEYS];
        try (EntryCursor cursor = store.scan(new byte[0], null)) {
            while (cursor.next()) {
                String name = Model.text(cursor.entry().key());
                if (name.startsWith("key ")) {
                    found[Integer.parseInt(name.substring(4))] =
                            cursor.entry().timestamp().hybrid();
                }
            }
        }
        for (int key = 0; key < KEYS; key++) {
            registers.check(key, atLeast[key], found[key]);
        }
    }
}
