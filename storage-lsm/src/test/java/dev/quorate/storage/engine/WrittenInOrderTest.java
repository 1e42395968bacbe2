package dev.quorate.storage.engine;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import dev.quorate.storage.Entry;
import dev.quorate.storage.KeyValueStore;
import dev.quorate.storage.Lookup;
import dev.quorate.storage.StorageException;
import dev.quorate.storage.Timestamp;
import dev.quorate.storage.WriteCompletion;
import dev.quorate.storage.simulated.FaultyDisk;
import dev.quorate.storage.simulated.FaultyDisk.Keep;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Of entries that are written together, each is stored only with those before it. */
class WrittenInOrderTest {

    private static final int LISTS = 60;
    private static final int LENGTH = 4;

    private final SplittableRandom random = new SplittableRandom(11);
    private final Set<Integer> acknowledged = new HashSet<>();
    private final List<StorageException> failures = new ArrayList<>();
    private int completed;
    private int incomplete;

    @Test
    void aListCompletesOnceAllOfItIsStored() {
        FaultyDisk disk = new FaultyDisk();
        LsmStore store = Model.open(disk);
        write(store, 0);
        assertThat(acknowledged).containsExactly(0);
        assertThat(completed).isEqualTo(1);
        check(store);
        assertThat(incomplete).isZero();
        store.close();
        write(store, 1);
        assertThat(completed).isEqualTo(2);
        assertThat(failures).hasSize(1);
    }

    @ParameterizedTest
    @EnumSource(Keep.class)
    void aPowerLossLeavesTheFirstOnes(Keep keep) {
        FaultyDisk disk = new FaultyDisk();
        SplittableRandom tosses = random.split();
        disk.beforeStep(step -> checkOpens(disk.afterPowerLoss(keep, tosses)));
        ShuffledTasks tasks = new ShuffledTasks(random);
        LsmStore store = Model.open(disk, Model.TINY, tasks.executors());
        for (int list = 0; list < LISTS; list++) {
            write(store, list);
        }
        store.close();
        assertThat(completed).isEqualTo(LISTS);
        assertThat(failures).isEmpty();
        assertThat(keep == Keep.NOTHING || incomplete > 0).as("some are cut").isTrue();
    }

    /**
     * @param copyOnWrite whether overwriting preallocated bytes needs space too
     */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aFullDiskLeavesTheFirstOnes(boolean copyOnWrite) {
        for (long step = 1; step < 200; step++) {
            fillDisk(step, copyOnWrite);
        }
        assertThat(failures).isNotEmpty();
    }

    /** The disk is full at one step alone: what was taken with the group that failed waits. */
    private void fillDisk(long fullAt, boolean copyOnWrite) {
        acknowledged.clear();
        FaultyDisk disk = new FaultyDisk();
        disk.setOverwritesNeedSpace(copyOnWrite);
        disk.beforeStep(
                step -> disk.setCapacity(step == fullAt ? disk.usedBytes() : Long.MAX_VALUE));
        List<Runnable> delayed = new ArrayList<>();
        LsmStore store =
                Model.open(
                        disk,
                        Model.TINY,
                        StoreExecutors.inPlace((millis, task) -> delayed.add(task)));
        for (int list = 0; list < LISTS; list++) {
            write(store, list);
            List<Runnable> due = List.copyOf(delayed);
            delayed.clear();
            due.forEach(Runnable::run);
        }
        check(store);
        disk.beforeStep(step -> {});
        disk.setCapacity(Long.MAX_VALUE);
        store.close();
        checkOpens(disk.afterPowerLoss(Keep.NOTHING, random));
    }

    private void write(KeyValueStore store, int list) {
        List<Entry> entries = new ArrayList<>();
        for (int i = 0; i < LENGTH; i++) {
            byte[] value = new byte[random.nextInt(random.nextInt(4) == 0 ? 3_000 : 50)];
            random.nextBytes(value);
            entries.add(Entry.value(key(list, i), new Timestamp(100 + list, i), value, 3));
        }
        store.write(
                entries,
                new WriteCompletion() {
                    @Override
                    public void stored(Timestamp newest) {
                        completed++;
                        assertThat(newest).isEqualTo(entries.getLast().timestamp());
                        acknowledged.add(list);
                    }

                    @Override
                    public void failed(StorageException cause) {
                        completed++;
                        failures.add(cause);
                    }
                });
    }

    private static byte[] key(int list, int i) {
        // The order of the keys is not that of the entries.
        return "%d of %d".formatted(LENGTH - i, list).getBytes(US_ASCII);
    }

    private void checkOpens(FaultyDisk disk) {
        try (LsmStore store = Model.open(disk)) {
            check(store);
        }
    }

    private void check(KeyValueStore store) {
        for (int list = 0; list < LISTS; list++) {
            int first = 0;
            while (first < LENGTH && isStored(store, key(list, first))) {
                first++;
            }
            for (int i = first; i < LENGTH; i++) {
                assertThat(isStored(store, key(list, i))).as("%s after %s", i, first).isFalse();
            }
            if (acknowledged.contains(list)) {
                assertThat(first).isEqualTo(LENGTH);
            }
            incomplete += first > 0 && first < LENGTH ? 1 : 0;
        }
    }

    private static boolean isStored(KeyValueStore store, byte[] key) {
        return store.lookup(key) instanceof Lookup.Found;
    }
}
