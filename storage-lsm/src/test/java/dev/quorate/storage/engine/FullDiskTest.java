package dev.quorate.storage.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quorate.storage.Entry;
import dev.quorate.storage.StorageException;
import dev.quorate.storage.Timestamp;
import dev.quorate.storage.simulated.FaultyDisk;
import dev.quorate.storage.simulated.FaultyDisk.Keep;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The disk is full for a while: writes are rejected, reads continue, and the store recovers. */
class FullDiskTest {

    private static final int OPERATIONS = 110;
    private static final int OPERATIONS_WHILE_FULL = 30;

    /**
     * @param copyOnWrite whether overwriting preallocated bytes needs space too
     */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aStoreRecoversFromAFullDiskAtAnyStep(boolean copyOnWrite) {
        int[] refusals = new int[1];
        long steps = run(Long.MAX_VALUE, copyOnWrite, refusals);
        assertThat(refusals[0]).isZero();
        assertThat(steps).isGreaterThan(300);
        for (long step = 1; step <= steps; step++) {
            try {
                run(step, copyOnWrite, refusals);
            } catch (Throwable e) {
                throw new AssertionError("full from step " + step + " of " + steps, e);
            }
        }
        assertThat(refusals[0]).isPositive();
    }

    private static long run(long fullFrom, boolean copyOnWrite, int[] refusals) {
        SplittableRandom random = new SplittableRandom(5);
        FaultyDisk disk = new FaultyDisk();
        disk.setOverwritesNeedSpace(copyOnWrite);
        boolean[] full = new boolean[1];
        disk.beforeStep(
                step -> {
                    if (step == fullFrom) {
                        full[0] = true;
                        disk.setCapacity(disk.usedBytes());
                    }
                });
        List<Runnable> delayed = new ArrayList<>();
        List<StorageException> fatal = new ArrayList<>();
        Model model = new Model();
        LsmStore store =
                LsmStore.open(
                        disk,
                        Model.DIRECTORY,
                        Model.TINY,
                        StoreExecutors.inPlace((millis, task) -> delayed.add(task)),
                        new StoreClocks(() -> 0),
                        fatal::add);
        int whileFull = 0;
        for (int i = 0; i < OPERATIONS; i++) {
            model.write(store, model.randomEntry(random));
            if (full[0]) {
                whileFull++;
                passTime(delayed);
            }
            if (whileFull == OPERATIONS_WHILE_FULL) {
                model.check(store);
                full[0] = false;
                disk.setCapacity(Long.MAX_VALUE);
                passTime(delayed);
            }
        }
        for (StorageException refusal : model.failures()) {
            // Io: a partly written group, which occurs only if overwriting needs space.
            assertThat(refusal)
                    .isInstanceOfAny(
                            StorageException.Full.class,
                            copyOnWrite ? StorageException.Io.class : StorageException.Full.class);
        }
        refusals[0] += model.failures().size();
        assertThat(fatal).isEmpty();
        long steps = disk.steps();
        disk.beforeStep(step -> {});
        disk.setCapacity(Long.MAX_VALUE);
        passTime(delayed);
        int before = model.failures().size();
        for (int i = 0; i < 50; i++) {
            model.write(store, model.randomEntry(random));
        }
        assertThat(model.failures()).as("writes are accepted again").hasSize(before);
        model.check(store);
        model.checkOpens(disk.afterPowerLoss(Keep.NOTHING, random));
        store.close();
        assertThat(disk.openFiles()).isZero();
        return steps;
    }

    private static void passTime(List<Runnable> delayed) {
        List<Runnable> due = List.copyOf(delayed);
        delayed.clear();
        due.forEach(Runnable::run);
    }

    @Test
    void aStoreOpensOnAFullDiskAndIsReadable() {
        // With this seed the write finds no space at all; with some others it is cut off midway.
        SplittableRandom random = new SplittableRandom(14);
        FaultyDisk disk = new FaultyDisk();
        Model model = new Model();
        LsmStore abandoned = Model.open(disk);
        for (int i = 0; i < 150; i++) {
            model.write(abandoned, model.randomEntry(random));
        }
        FaultyDisk after = disk.afterPowerLoss(Keep.NOTHING, random);
        after.setCapacity(after.usedBytes());
        after.setOverwritesNeedSpace(true);
        List<Runnable> delayed = new ArrayList<>();
        LsmStore store =
                Model.open(
                        after,
                        Model.TINY,
                        StoreExecutors.inPlace((millis, task) -> delayed.add(task)));
        model.check(store);
        // Another process takes the space that opening has freed.
        after.setCapacity(after.usedBytes());
        model.write(store, model.randomEntry(random));
        assertThat(model.failures()).hasSize(1);
        assertThat(model.failures().getFirst()).isInstanceOf(StorageException.Full.class);
        model.check(store);

        after.setCapacity(Long.MAX_VALUE);
        passTime(delayed);
        model.write(store, model.randomEntry(random));
        assertThat(model.failures()).hasSize(1);
        model.checkOpens(after.afterPowerLoss(Keep.NOTHING, random));
    }

    /**
     * If overwriting needs space, a group may be written in part. Some of its records may be
     * intact, even the last one if its missing bytes are zeros, as in a new segment, and recovery
     * replays them after a crash. So these writes must not be reported as rejected.
     */
    @Test
    void noCrashRestoresARejectedWrite() {
        int notStored = 0;
        int unknown = 0;
        for (int room = 0; room < 600; room += 20) {
            FaultyDisk disk = new FaultyDisk();
            ShuffledTasks tasks = new ShuffledTasks(new SplittableRandom(room));
            LsmStore store = Model.open(disk, Model.TINY, tasks.executors());
            tasks.runAll();
            disk.setOverwritesNeedSpace(true);
            disk.setCapacity(disk.usedBytes() + room);
            List<CompletableFuture<Timestamp>> writes = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                writes.add(Writes.put(store, "key " + i, i + 1, new byte[100]));
            }
            tasks.runAll();
            writes.add(Writes.put(store, "key 4", 5, new byte[100]));
            tasks.runAll();
            for (Keep keep : List.of(Keep.EVERYTHING, Keep.SOME)) {
                try (LsmStore after =
                        Model.open(disk.afterPowerLoss(keep, new SplittableRandom(room)))) {
                    for (int i = 0; i < writes.size(); i++) {
                        Entry found = Model.find(after.lookup(Writes.bytes("key " + i)));
                        boolean stored = !writes.get(i).isCompletedExceptionally();
                        Throwable failure = stored ? null : writes.get(i).exceptionNow();
                        switch (failure) {
                            case null -> assertThat(found).isNotNull();
                            case StorageException.Full full -> {
                                assertThat(found).as("room %d, key %d", room, i).isNull();
                                notStored++;
                            }
                            default -> {
                                assertThat(failure).isInstanceOf(StorageException.Io.class);
                                unknown += found == null ? 0 : 1;
                            }
                        }
                    }
                }
            }
        }
        assertThat(notStored).isPositive();
        assertThat(unknown).as("the disk wrote some groups in part").isPositive();
    }

    /**
     * A large value is written to the log in parts, of which the disk may accept only the first.
     * The next acknowledged record must directly follow the previous one, or recovery ends between
     * them.
     */
    @Test
    void writesAfterAPartlyWrittenLargeValueSurviveACrash() {
        int writtenInPart = 0;
        for (int fullAfter = 1; fullAfter < 40; fullAfter++) {
            FaultyDisk disk = new FaultyDisk();
            ShuffledTasks tasks = new ShuffledTasks(new SplittableRandom(fullAfter));
            LsmStore store = Model.open(disk, Model.TINY, tasks.executors());
            tasks.runAll();
            CompletableFuture<Timestamp> before = Writes.put(store, "before", 1, new byte[100]);
            tasks.runAll();
            disk.setOverwritesNeedSpace(true);
            long full = disk.steps() + fullAfter;
            disk.beforeStep(step -> disk.setCapacity(step == full ? 0 : Long.MAX_VALUE));
            CompletableFuture<Timestamp> large = Writes.put(store, "large", 2, new byte[40_000]);
            tasks.runAll();
            writtenInPart +=
                    large.isCompletedExceptionally()
                                    && large.exceptionNow() instanceof StorageException.Io
                            ? 1
                            : 0;
            disk.beforeStep(step -> disk.setCapacity(Long.MAX_VALUE));
            disk.setCapacity(Long.MAX_VALUE);
            tasks.passTime();
            tasks.runAll();
            CompletableFuture<Timestamp> after = Writes.put(store, "after", 3, new byte[100]);
            tasks.runAll();
            assertThat(after).isCompleted();
            for (Keep keep : Keep.values()) {
                try (LsmStore next =
                        Model.open(disk.afterPowerLoss(keep, new SplittableRandom(fullAfter)))) {
                    requireStored(next, "before", before, fullAfter);
                    requireStored(next, "large", large, fullAfter);
                    requireStored(next, "after", after, fullAfter);
                }
            }
        }
        assertThat(writtenInPart).isPositive();
    }

    private static void requireStored(
            LsmStore store, String key, CompletableFuture<Timestamp> write, int fullAfter) {
        if (write.isDone() && !write.isCompletedExceptionally()) {
            assertThat(Model.find(store.lookup(Writes.bytes(key))))
                    .as("%s, full at step %d", key, fullAfter)
                    .isNotNull();
        }
    }

    @Test
    void theReserveStaysFree() {
        // With this seed the write finds no space at all; with some others it is cut off midway.
        SplittableRandom random = new SplittableRandom(13);
        FaultyDisk disk = new FaultyDisk();
        disk.setCapacity(4 << 20);
        Model model = new Model();
        List<Runnable> delayed = new ArrayList<>();
        AtomicLong clock = new AtomicLong();
        LsmStore store =
                LsmStore.open(
                        disk,
                        Model.DIRECTORY,
                        Model.TINY.withReservedDiskBytes(1_000_000),
                        StoreExecutors.inPlace((millis, task) -> delayed.add(task)),
                        new StoreClocks(() -> clock.addAndGet(1_000_000)),
                        cause -> {
                            throw new AssertionError(cause);
                        });
        for (int i = 0; i < 1_000; i++) {
            model.write(store, model.randomEntry(random));
        }
        assertThat(model.failures()).isEmpty();

        // Another process takes the space.
        disk.setCapacity(disk.usedBytes() + 900_000);
        for (int i = 0; i < 1_000 && model.failures().isEmpty(); i++) {
            model.write(store, model.randomEntry(random));
        }
        assertThat(model.failures()).hasSize(1);
        assertThat(model.failures().getFirst()).hasMessageContaining("full");
        assertThat(disk.freeBytes(Model.DIRECTORY)).isGreaterThan(800_000);
        model.check(store);

        disk.setCapacity(4 << 20);
        passTime(delayed);
        model.write(store, model.randomEntry(random));
        assertThat(model.failures()).hasSize(1);
        store.close();
    }
}
