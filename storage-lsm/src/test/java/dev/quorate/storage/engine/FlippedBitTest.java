package dev.quorate.storage.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quorate.storage.CorruptionException;
import dev.quorate.storage.StorageException;
import dev.quorate.storage.io.FaultyDisk;
import dev.quorate.storage.io.FaultyDisk.Keep;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/**
 * One bit flips in any file of a closed store: it opens and answers rightly, or says that it is
 * damaged, and never gives a wrong answer.
 */
class FlippedBitTest {

    private static final int FLIPS = Boolean.getBoolean("quorate.long") ? 10_000 : 1_000;

    @Test
    void noFlipGivesAWrongAnswer() {
        long seed = Long.getLong("quorate.seed", System.nanoTime());
        System.out.println("FlippedBitTest: -Dquorate.seed=" + seed);
        SplittableRandom random = new SplittableRandom(seed);
        FaultyDisk disk = new FaultyDisk();
        Model model = new Model();
        try (LsmStore store = Model.open(disk)) {
            for (int i = 0; i < 300; i++) {
                model.write(store, model.randomEntry(random));
            }
        }
        List<Path> files = new ArrayList<>();
        for (String name : disk.list(Model.DIRECTORY)) {
            Path file = Model.DIRECTORY.resolve(name);
            if (disk.read(file).length > 0) {
                files.add(file);
            }
        }
        Map<String, int[]> outcomes = new TreeMap<>();
        for (int flip = 0; flip < FLIPS; flip++) {
            Path file = files.get(random.nextInt(files.size()));
            byte[] bytes = disk.read(file);
            int bit = random.nextInt(bytes.length * 8);
            bytes[bit >> 3] ^= (byte) (1 << (bit & 7));
            FaultyDisk damaged = disk.afterPowerLoss(Keep.EVERYTHING, random);
            damaged.replace(file, bytes);
            try {
                boolean detected = detects(damaged, model);
                String kind = file.getFileName().toString().replaceAll("^[0-9a-f]{16}", "N");
                outcomes.computeIfAbsent(kind, none -> new int[2])[detected ? 1 : 0]++;
            } catch (Throwable e) {
                throw new AssertionError(
                        "-Dquorate.seed=" + seed + ", " + file + ", bit " + bit, e);
            }
        }
        outcomes.forEach(
                (kind, counts) ->
                        System.out.println(
                                kind + ": " + counts[1] + " refused, " + counts[0] + " harmless"));
        assertThat(outcomes.size()).as("kinds of files: %s", outcomes.keySet()).isGreaterThan(3);
    }

    /** False if every answer is right; a wrong answer is an assertion that fails. */
    private static boolean detects(FaultyDisk damaged, Model model) {
        boolean detected = false;
        try (LsmStore store = Model.open(damaged)) {
            model.check(store);
        } catch (CorruptionException e) {
            detected = true;
        } catch (StorageException.Io e) {
            // A flip in the number of a format looks like another version of this program.
            assertThat(e).hasMessageContaining("format");
            detected = true;
        }
        assertThat(damaged.openFiles()).isZero();
        return detected;
    }
}
