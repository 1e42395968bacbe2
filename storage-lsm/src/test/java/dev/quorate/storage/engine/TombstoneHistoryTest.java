package dev.quorate.storage.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quorate.storage.Figures;
import dev.quorate.storage.Scale;
import dev.quorate.storage.compaction.CompactionPicker;
import dev.quorate.storage.simulated.FaultyDisk;
import dev.quorate.storage.simulated.FaultyDisk.Keep;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/**
 * Random histories of stores that drop tombstones: late writes, tasks in any order, small levels
 * and tables that scatter tombstones and the entries they shadow, power losses, and a rising
 * watermark. No deleted key ever reappears, and in the end no tombstone remains.
 */
class TombstoneHistoryTest {

    /** The least number of compactions in all histories. */
    private static final int CHOICES = Scale.of(10_000, 20);

    private static final int OPERATIONS = 300;

    @Test
    void noDeletedKeyReappearsAndNoTombstoneRemains() {
        long seed = Scale.seed("TombstoneHistoryTest");
        long choices = 0;
        long dropped = 0;
        while (choices < CHOICES) {
            try {
                History history = new History(new SplittableRandom(seed));
                history.run();
                choices += history.choices;
                dropped += history.dropped;
            } catch (Throwable e) {
                throw new AssertionError("replay with -Dquorate.seed=" + seed, e);
            }
            seed++;
        }
        assertThat(dropped).isGreaterThan(CHOICES / 4);
    }

    private static final class History {
        private final SplittableRandom random;
        private final Model model = new Model();
        private final CompactionPicker picker;
        private final long tableBytes;
        private FaultyDisk disk = new FaultyDisk();
        private long choices;
        private long dropped;

        History(SplittableRandom random) {
            this.random = random;
            picker = new CompactionPicker(1 + random.nextInt(4), 1_000 + random.nextInt(5_000));
            tableBytes = 500L + random.nextInt(3_000);
        }

        private CompactionRunner.Shape shape(double tombstoneShare) {
            return new CompactionRunner.Shape(picker, tableBytes, tombstoneShare);
        }

        void run() {
            for (int life = 0; life < 3; life++) {
                live();
            }
            ShuffledTasks tasks = new ShuffledTasks(random);
            try (LsmStore store = Model.open(disk, tasks.executors(), shape(0))) {
                model.collectAll(store);
                tasks.runAll();
                store.flush();
                tasks.runAll();
                model.check(store);
                assertThat(store.figures().count("tombstones")).as("tombstones left").isZero();
                count(store.figures());
            }
        }

        private void live() {
            ShuffledTasks tasks = new ShuffledTasks(random);
            double share = random.nextBoolean() ? 0 : Tombstones.SHARE;
            LsmStore store = Model.open(disk, tasks.executors(), shape(share));
            for (int i = 0; i < OPERATIONS; i++) {
                switch (random.nextInt(40)) {
                    case 0 -> store.flush();
                    case 1, 2, 3, 4 -> model.check(store);
                    case 5, 6 -> model.collect(store, random);
                    case 7, 8, 9, 10, 11, 12, 13 ->
                            model.write(store, model.randomTombstone(random));
                    case 14, 15, 16, 17, 18, 19, 20, 21, 22, 23 ->
                            model.write(store, model.randomLateEntry(random));
                    default -> model.write(store, model.randomEntry(random));
                }
                tasks.runSome(random.nextInt(4));
            }
            count(store.figures());
            if (random.nextBoolean()) {
                store.close();
            } else {
                Keep keep = List.of(Keep.values()).get(random.nextInt(3));
                disk = disk.afterPowerLoss(keep, random.split());
            }
        }

        private void count(Figures figures) {
            choices += figures.count("compactions");
            dropped += figures.count("tombstones_dropped");
        }
    }
}
