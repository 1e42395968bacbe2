package dev.quorate.storage.engine;

import static dev.quorate.storage.engine.Writes.bytes;
import static org.assertj.core.api.Assertions.assertThat;

import dev.quorate.storage.CorruptionException;
import dev.quorate.storage.Damage;
import dev.quorate.storage.Entry;
import dev.quorate.storage.EntryCursor;
import dev.quorate.storage.Figures;
import dev.quorate.storage.KeyRange;
import dev.quorate.storage.Lookup;
import dev.quorate.storage.Scale;
import dev.quorate.storage.StorageException;
import dev.quorate.storage.StoreListener;
import dev.quorate.storage.Timestamp;
import dev.quorate.storage.simulated.FaultyDisk;
import dev.quorate.storage.simulated.FaultyDisk.Keep;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/**
 * The lost entries of a damaged table are written again, from a model instead of other replicas,
 * and then the table is replaced. Until then no read reports any of its keys as absent or returns
 * an older entry.
 */
class HealingTest {

    private static final int KEYS = 300;
    private static final int FLIPS = Scale.of(3_000, 20);

    private final List<StorageException> told = new ArrayList<>();
    private final TreeMap<byte[], Entry> model = new TreeMap<>(Arrays::compareUnsigned);

    private LsmStore open(FaultyDisk disk) {
        return LsmStore.open(
                disk,
                Model.DIRECTORY,
                Model.TINY,
                StoreExecutors.inPlace((millis, task) -> {}),
                new StoreClocks(() -> 0),
                new StoreListener() {
                    @Override
                    public void stopped(StorageException cause) {
                        throw cause;
                    }

                    @Override
                    public void damaged(StorageException cause) {
                        told.add(cause);
                    }
                });
    }

    /** A store with older entries in a table of level 1 and newer ones in a table of level 0. */
    private FaultyDisk filled() {
        FaultyDisk disk = new FaultyDisk();
        try (LsmStore store = open(disk)) {
            for (int i = 0; i < KEYS; i++) {
                write(store, entry(i, 100 + i));
            }
            // Flushes tables until they are merged.
            for (int i = 0; store.figures().count("compactions") < 6; i++) {
                write(store, entry(i, 1_000 + i));
                store.flush();
            }
            write(store, entry(7, 2_000));
            write(store, Entry.tombstone(key(9), new Timestamp(2_001, 1), 3));
            store.flush();
        }
        return disk;
    }

    private static byte[] key(int i) {
        return bytes("key %03d".formatted(i));
    }

    private static Entry entry(int i, long clock) {
        // Occasionally a large entry with a block of its own.
        int valueBytes = i % 50 == 3 ? 20_000 : 40;
        return Entry.value(key(i), new Timestamp(clock, 1), new byte[valueBytes], 3);
    }

    private void write(LsmStore store, Entry entry) {
        assertThat(Writes.write(store, entry)).isCompleted();
        model.merge(entry.key(), entry, (a, b) -> b.supersedes(a) ? b : a);
    }

    private static List<Path> tables(FaultyDisk disk) {
        return disk.list(Model.DIRECTORY).stream()
                .filter(name -> name.endsWith(".sst"))
                .sorted()
                .map(Model.DIRECTORY::resolve)
                .toList();
    }

    private static Path largestTable(FaultyDisk disk) {
        return tables(disk).stream()
                .max((a, b) -> Integer.compare(disk.read(a).length, disk.read(b).length))
                .orElseThrow();
    }

    /** Every look-up matches the model or fails; returns the number of failures. */
    private int check(LsmStore store) {
        int failed = 0;
        for (int i = 0; i < KEYS; i++) {
            try {
                assertThat(store.lookup(key(i))).isEqualTo(new Lookup.Found(model.get(key(i))));
            } catch (CorruptionException e) {
                if (isLost(store, key(i))) {
                    failed++;
                } else {
                    // No entry was lost, so the store has replaced the table without healing.
                    assertThat(store.lookup(key(i))).isEqualTo(new Lookup.Found(model.get(key(i))));
                }
            }
        }
        return failed;
    }

    private static boolean isLost(LsmStore store, byte[] key) {
        return store.damage().stream()
                .flatMap(damage -> damage.ranges().stream())
                .anyMatch(range -> range.covers(new KeyRange(key, KeyRange.after(key))));
    }

    /** Writes the lost entries, as other replicas would provide them, and heals the tables. */
    private void heal(LsmStore store) {
        for (Damage damage : store.damage()) {
            for (KeyRange range : damage.ranges()) {
                assertThat(range.end()).isNotNull();
                for (Entry entry : model.subMap(range.start(), range.end()).values()) {
                    assertThat(Writes.write(store, entry)).isNotNull();
                }
            }
        }
        check(store);
        store.damage().forEach(store::heal);
    }

    private void requireWhole(LsmStore store) {
        Figures figures = store.figures();
        assertThat(store.damage()).isEmpty();
        assertThat(figures.count("sstables_damaged")).isZero();
        assertThat(figures.count("damaged_ranges")).isZero();
        assertThat(check(store)).isZero();
        List<Entry> scanned = new ArrayList<>();
        try (EntryCursor cursor = store.scan(new byte[0], null)) {
            while (cursor.next()) {
                scanned.add(cursor.entry());
            }
        }
        assertThat(scanned).containsExactlyElementsOf(model.values());
    }

    @Test
    void aDamagedBlockIsHealed() {
        FaultyDisk disk = filled();
        Path victim = largestTable(disk);
        disk.flip(victim, 300);
        try (LsmStore store = open(disk)) {
            assertThat(store.damage()).as("not read yet").isEmpty();
            assertThat(check(store)).isBetween(1, 20);
            assertThat(store.damage()).hasSize(1);
            assertThat(store.damage().getFirst().file()).isEqualTo("" + victim.getFileName());
            assertThat(store.figures().count("damaged_ranges")).isEqualTo(1);
            assertThat(told).hasSize(1);
            heal(store);
            requireWhole(store);
            assertThat(store.figures().count("healed_ranges")).isEqualTo(1);
        }
        assertThat(tables(disk)).doesNotContain(victim);
        assertThat(disk.openFiles()).isZero();
        try (LsmStore store = open(disk)) {
            requireWhole(store);
        }
        assertThat(told).hasSize(1);
    }

    @Test
    void readableEntriesAreServedMeanwhile() {
        FaultyDisk disk = filled();
        disk.flip(largestTable(disk), 300);
        try (LsmStore store = open(disk)) {
            check(store);
            List<byte[]> given = new ArrayList<>();
            try (EntryCursor cursor = store.scanReadable(key(0), key(200))) {
                while (cursor.next()) {
                    given.add(cursor.key());
                    assertThat(cursor.entry()).isEqualTo(model.get(cursor.key()));
                }
            }
            for (int i = 0; i < 200; i++) {
                byte[] key = key(i);
                boolean isGiven = given.stream().anyMatch(each -> Arrays.equals(each, key));
                assertThat(isGiven || isLost(store, key)).as("key %d", i).isTrue();
            }
            assertThat(given).hasSizeLessThan(200);
        }
    }

    @Test
    void furtherDamageIsReportedAndHealedAgain() {
        FaultyDisk disk = filled();
        Path victim = largestTable(disk);
        disk.flip(victim, 300);
        try (LsmStore store = open(disk)) {
            check(store);
            List<Damage> before = store.damage();
            // One of the last blocks: after the large value and before the filter.
            disk.flip(victim, disk.read(victim).length - 2_000);
            before.forEach(store::heal);
            assertThat(store.damage()).hasSize(1).isNotEqualTo(before);
            assertThat(store.figures().count("damaged_ranges")).isEqualTo(2);
            assertThat(told).hasSize(2);
            assertThat(check(store)).isPositive();
            heal(store);
            requireWhole(store);
        }
    }

    /** Every bit, or a sample, of the blocks, the index and the filter. */
    @Test
    void aFlippedBitAnywhereIsHealed() {
        long seed = Scale.seed("HealingTest");
        SplittableRandom random = new SplittableRandom(seed);
        FaultyDisk filled = filled();
        int healed = 0;
        for (int round = 0; round < FLIPS; round++) {
            FaultyDisk disk = filled.afterPowerLoss(Keep.NOTHING, random.split());
            List<Path> tables = tables(disk);
            Path victim = tables.get(random.nextInt(tables.size()));
            // After that are the summary and the footer, without which a store does not open.
            int at = random.nextInt(disk.read(victim).length - 60 - 120);
            disk.flip(victim, at);
            try {
                healed += healWhatIsFound(disk);
            } catch (Throwable e) {
                String where = victim.getFileName() + " at " + at;
                throw new AssertionError("-Dquorate.seed=" + seed + ": " + where, e);
            }
        }
        assertThat(healed).isGreaterThan(FLIPS / 2);
    }

    private int healWhatIsFound(FaultyDisk disk) {
        LsmStore store;
        try {
            store = open(disk);
        } catch (CorruptionException e) {
            return 0; // the root of the index, or the summary: it does not open
        }
        try (store) {
            check(store);
            try (EntryCursor cursor = store.scan(new byte[0], null)) {
                while (cursor.next()) {
                    cursor.entry();
                }
            } catch (CorruptionException e) {
                // Detected here if no look-up has detected it.
            }
            long ranges = store.figures().count("damaged_ranges");
            long replaced = store.figures().count("compactions");
            heal(store);
            requireWhole(store);
            replaced = Math.max(replaced, store.figures().count("compactions"));
            return ranges > 0 || replaced > 0 ? 1 : 0;
        }
    }

    /** The power fails at each step of healing: afterwards the damage is unchanged or healed. */
    @Test
    void aPowerLossDuringHealingLosesNothing() {
        FaultyDisk disk = filled();
        disk.flip(largestTable(disk), 300);
        int[] steps = new int[1];
        try (LsmStore store = open(disk)) {
            check(store);
            SplittableRandom random = new SplittableRandom(7);
            disk.beforeStep(
                    step -> {
                        steps[0]++;
                        FaultyDisk left = disk.afterPowerLoss(Keep.SOME, random.split());
                        try (LsmStore later = open(left)) {
                            check(later);
                        }
                    });
            heal(store);
            disk.beforeStep(step -> {});
            requireWhole(store);
        }
        assertThat(steps[0]).isGreaterThan(10);
    }
}
