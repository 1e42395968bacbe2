package dev.quorate.storage.engine;

import dev.quorate.storage.Compression;
import dev.quorate.storage.Durability;
import dev.quorate.storage.Scale;
import dev.quorate.storage.StorageOptions;
import dev.quorate.storage.simulated.FaultyDisk;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/**
 * A store behaves as a sorted map under any options and any order of tasks: random operations under
 * random options, compared with {@link Model}.
 */
class MetamorphicTest {

    private static final int HISTORIES = Scale.of(5_000, 33);
    private static final int OPERATIONS = 400;

    @Test
    void aStoreIsASortedMapUnderAnyOptions() {
        long firstSeed = Scale.seed("MetamorphicTest");
        for (long seed = firstSeed; seed < firstSeed + HISTORIES; seed++) {
            SplittableRandom random = new SplittableRandom(seed);
            StorageOptions options = randomOptions(random);
            try {
                run(random, options);
            } catch (Throwable e) {
                throw new AssertionError("replay with -Dquorate.seed=" + seed + ": " + options, e);
            }
        }
    }

    private static StorageOptions randomOptions(SplittableRandom random) {
        return new StorageOptions(
                4096L << random.nextInt(4),
                8192L << random.nextInt(4),
                256 << random.nextInt(6),
                random.nextInt(3) * 8,
                1 << 20,
                random.nextBoolean() ? Durability.FSYNC : Durability.ASYNC,
                1 + random.nextInt(20),
                0,
                random.nextBoolean() ? Compression.LZ4 : Compression.NONE,
                random.nextInt(3) == 0 ? 100_000 : 0,
                random.nextInt(2) * 10_000L);
    }

    private static void run(SplittableRandom random, StorageOptions options) {
        FaultyDisk disk = new FaultyDisk();
        Model model = new Model();
        int operations = 0;
        while (operations < OPERATIONS) {
            boolean inPlace = random.nextBoolean();
            List<Runnable> delayed = new ArrayList<>();
            ShuffledTasks tasks = new ShuffledTasks(random);
            StoreExecutors executors =
                    inPlace
                            ? StoreExecutors.inPlace((millis, task) -> delayed.add(task))
                            : tasks.executors();
            // Opened, used and closed repeatedly, with the same or other options.
            StorageOptions now = random.nextInt(4) == 0 ? Model.TINY : options;
            try (LsmStore store = model.openWithWallClock(disk, now, executors)) {
                int until = operations + 1 + random.nextInt(150);
                for (; operations < until; operations++) {
                    switch (random.nextInt(30)) {
                        case 0 -> store.flush();
                        case 1 -> model.check(store);
                        case 2 -> tasks.passTime();
                        case 3 -> tasks.runAll();
                        case 4 -> model.passWallTime(random);
                        case 9 -> model.collect(store, random);
                        case 5, 6, 7, 8 -> model.write(store, model.randomExpiringEntry(random));
                        default -> model.write(store, model.randomEntry(random));
                    }
                    tasks.runSome(random.nextInt(4));
                }
                model.check(store);
                if (!model.failures().isEmpty()) {
                    throw new AssertionError(model.failures().getFirst());
                }
            }
        }
        StoreExecutors inPlace = StoreExecutors.inPlace((millis, task) -> {});
        try (LsmStore store = model.openWithWallClock(disk, Model.TINY, inPlace)) {
            model.check(store);
        }
    }
}
