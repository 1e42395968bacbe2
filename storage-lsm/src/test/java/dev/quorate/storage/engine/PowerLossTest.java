package dev.quorate.storage.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quorate.storage.Entry;
import dev.quorate.storage.Figures;
import dev.quorate.storage.Scale;
import dev.quorate.storage.simulated.FaultyDisk;
import dev.quorate.storage.simulated.FaultyDisk.Keep;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** After a power loss at any moment no acknowledged write is lost and none is partly visible. */
class PowerLossTest {

    private static final int OPERATIONS = 200;
    private static final int HISTORIES = Scale.of(1_000, 3);

    /**
     * The power fails before each disk step of a script of 200 operations, from the first opening
     * to the last close. The script is fixed; only the surviving state varies.
     */
    @ParameterizedTest
    @EnumSource(Keep.class)
    void aPowerLossAtEveryStepOfAScript(Keep keep) {
        long seed = 7;
        SplittableRandom random = new SplittableRandom(seed);
        SplittableRandom tosses = random.split();
        FaultyDisk disk = new FaultyDisk();
        Model model = new Model();
        disk.beforeStep(
                step -> {
                    try {
                        model.checkOpens(disk.afterPowerLoss(keep, tosses));
                    } catch (Throwable e) {
                        throw new AssertionError("seed " + seed + ", step " + step, e);
                    }
                });
        Figures figures = runScript(disk, model, random);

        assertThat(disk.steps()).isGreaterThan(500);
        assertThat(figures.count("flushes")).isGreaterThan(5);
        assertThat(figures.count("compactions")).isPositive();
        assertThat(figures.count("tombstones_dropped")).isPositive();
        assertThat(model.failures()).isEmpty();
        model.checkOpens(disk.afterPowerLoss(keep, tosses));
    }

    /**
     * The process is killed before each step of the script. The next one finds a full disk and
     * reads the page cache, durable or not; then the power fails.
     */
    @Test
    void aKillAtEveryStepOfAScriptAndThenAPowerLoss() {
        SplittableRandom random = new SplittableRandom(7);
        FaultyDisk disk = new FaultyDisk();
        Model model = new Model();
        List<AssertionError> found = new ArrayList<>();
        disk.beforeStep(step -> check(step, found, () -> model.checkReadsStay(disk.afterKill())));
        runScript(disk, model, random);
        for (AssertionError each : found) {
            throw each;
        }
        model.checkReadsStay(disk.afterKill());
    }

    /** Skips checks after the first failure; the script continues, so that the store is closed. */
    private static void check(long step, List<AssertionError> found, Runnable check) {
        if (!found.isEmpty()) {
            return;
        }
        try {
            check.run();
        } catch (Throwable e) {
            found.add(new AssertionError("step " + step, e));
        }
    }

    /**
     * Random histories. Tasks run in random order, so that groups contain several writes and
     * flushes lag; the power fails at random steps, including during recovery. Some processes are
     * killed instead, and the next one finds the page cache.
     */
    @Test
    void powerLossesAtRandomStepsOfRandomHistories() {
        long firstSeed = Scale.seed("PowerLossTest");
        for (long seed = firstSeed; seed < firstSeed + HISTORIES; seed++) {
            try {
                runHistory(new SplittableRandom(seed));
            } catch (Throwable e) {
                throw new AssertionError("replay with -Dquorate.seed=" + seed, e);
            }
        }
    }

    private static void runHistory(SplittableRandom random) {
        Model model = new Model();
        FaultyDisk disk = new FaultyDisk();
        for (int life = 0; life < 4; life++) {
            long lifeSteps = random.nextInt(random.nextInt(3) == 0 ? 20 : 400);
            disk.beforeStep(
                    step -> {
                        if (step > lifeSteps) {
                            throw new PowerLoss();
                        }
                    });
            try {
                live(disk, model, random);
            } catch (PowerLoss off) {
                // Expected at some point.
            }
            disk = afterTheEnd(disk, random);
        }
        model.checkOpens(disk);
    }

    private static FaultyDisk afterTheEnd(FaultyDisk disk, SplittableRandom random) {
        if (random.nextInt(4) == 0) {
            return disk.afterKill();
        }
        Keep keep = List.of(Keep.values()).get(random.nextInt(3));
        return disk.afterPowerLoss(keep, random.split());
    }

    /** Uses the store until the power fails. */
    private static void live(FaultyDisk disk, Model model, SplittableRandom random) {
        ShuffledTasks tasks = new ShuffledTasks(random);
        LsmStore store = Model.open(disk, Model.TINY, tasks.executors());
        model.checkAndRemember(store);
        for (int i = 0; i < 300; i++) {
            switch (random.nextInt(30)) {
                case 0 -> store.flush();
                case 1, 2 -> model.checkAndRemember(store);
                case 3 -> model.collect(store, random);
                default -> model.write(store, model.randomEntry(random));
            }
            tasks.runSome(random.nextInt(4));
        }
    }

    private static final class PowerLoss extends Error {
        private static final long serialVersionUID = 1;
    }

    private static Figures runScript(FaultyDisk disk, Model model, SplittableRandom random) {
        Figures figures;
        try (LsmStore store = Model.open(disk)) {
            for (int i = 0; i < OPERATIONS; i++) {
                int choice = random.nextInt(20);
                if (choice == 0) {
                    store.flush();
                } else if (choice == 1) {
                    model.collect(store, random);
                } else {
                    Entry entry = model.randomEntry(random);
                    model.write(store, entry);
                }
            }
            model.check(store);
            figures = store.figures().snapshot();
        }
        try (LsmStore store = Model.open(disk)) {
            model.check(store);
        }
        assertThat(disk.openFiles()).isZero();
        return figures;
    }
}
