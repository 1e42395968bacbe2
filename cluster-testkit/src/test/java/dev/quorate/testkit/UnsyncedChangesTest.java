package dev.quorate.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quorate.storage.io.DiskFiles;
import dev.quorate.storage.io.StorageFiles;
import dev.quorate.storage.io.WritableFile;
import dev.quorate.storage.simulated.FaultyDisk;
import java.io.IOException;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A real disk and the one in memory that the storage engine is tested with, side by side: after the
 * same changes, and a loss of power that leaves nothing unsynced, they hold the same.
 */
class UnsyncedChangesTest {

    private static final int ROUNDS = 60;
    private static final int MAX_STEPS = 25;
    private static final String[] NAMES = {"a", "b", "c"};

    /** Not renamed: to rename a file to another name of its own changes nothing. */
    private static final String LINK = "d";

    @TempDir private Path directory;

    @Test
    void losesWhatADiskInMemoryLoses() throws IOException {
        Long given = Long.getLong("quorate.seed");
        long seed = given == null ? System.nanoTime() : given;
        System.out.println("seed: " + seed + "; -Dquorate.seed=" + seed + " repeats it");
        SplittableRandom seeds = new SplittableRandom(seed);
        for (int round = 0; round < ROUNDS; round++) {
            compare(directory.resolve("" + round), seeds.split());
        }
    }

    private static void compare(Path folder, SplittableRandom random) throws IOException {
        Path data = Files.createDirectories(folder.resolve("data"));
        UnsyncedChanges unsynced =
                new UnsyncedChanges(Files.createDirectories(folder.resolve("replaced")));
        Life life = new Life(Runnable::run);
        StorageFiles real = new ProcessFiles(new DiskFiles(), life, Set.of(), unsynced);
        FaultyDisk model = new FaultyDisk();
        for (int step = random.nextInt(MAX_STEPS); step >= 0; step--) {
            long choices = random.nextLong();
            change(real, data, new SplittableRandom(choices));
            change(model, data, new SplittableRandom(choices));
            assertThat(held(real, data)).isEqualTo(held(model, data));
        }
        unsynced.undo();
        StorageFiles left = model.afterPowerLoss(FaultyDisk.Keep.NOTHING, random);
        assertThat(held(new DiskFiles(), data)).isEqualTo(held(left, data));
        assertThat(folder.resolve("replaced")).isEmptyDirectory();
    }

    private static void change(StorageFiles disk, Path data, SplittableRandom random)
            throws IOException {
        Path file = data.resolve(NAMES[random.nextInt(NAMES.length)]);
        Path other = data.resolve(NAMES[random.nextInt(NAMES.length)]);
        if (!disk.exists(file)) {
            try (WritableFile made = disk.create(file)) {
                write(made, random);
            }
            return;
        }
        switch (random.nextInt(8)) {
            case 0 -> disk.delete(file);
            case 1 -> {
                if (!file.equals(other)) {
                    disk.rename(file, other);
                }
            }
            case 2 -> {
                if (!disk.exists(data.resolve(LINK))) {
                    disk.link(file, data.resolve(LINK));
                }
            }
            case 4 -> {
                if (disk.exists(data.resolve(LINK))) {
                    disk.delete(data.resolve(LINK));
                }
            }
            case 3 -> disk.syncDirectory(data);
            default -> {
                try (WritableFile opened = disk.open(file)) {
                    write(opened, random);
                }
            }
        }
    }

    private static void write(WritableFile file, SplittableRandom random) throws IOException {
        for (int times = random.nextInt(3); times >= 0; times--) {
            byte[] bytes = new byte[random.nextInt(40)];
            random.nextBytes(bytes);
            long size = file.size();
            switch (random.nextInt(5)) {
                case 0 -> file.truncate(random.nextLong(size + 1));
                case 1 -> file.force();
                default -> file.write(ByteBuffer.wrap(bytes), random.nextLong(size + 1));
            }
        }
    }

    private static Map<String, String> held(StorageFiles disk, Path data) throws IOException {
        Map<String, String> held = new TreeMap<>();
        for (String name : disk.list(data)) {
            try (var mapped = disk.map(data.resolve(name))) {
                byte[] bytes = mapped.bytes().toArray(ValueLayout.JAVA_BYTE);
                held.put(name, HexFormat.of().formatHex(bytes));
            }
        }
        return held;
    }
}
