package dev.quorate.storage.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quorate.storage.CorruptionException;
import dev.quorate.storage.Scale;
import dev.quorate.storage.StorageException;
import dev.quorate.storage.format.FileNames;
import dev.quorate.storage.inspect.Verification;
import dev.quorate.storage.manifest.Version;
import dev.quorate.storage.manifest.VersionSet;
import dev.quorate.storage.simulated.FaultyDisk;
import dev.quorate.storage.simulated.FaultyDisk.Keep;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/**
 * One bit flips in any file of a closed store: it opens and answers rightly, or says that it is
 * damaged, and never gives a wrong answer. Verification finds every flip of a byte that is alive.
 *
 * <p>Dead are, by the formats, only what lies in a log segment behind its seal, and segments that
 * the log no longer leads to. The manifest's last record is alive, but a flip there looks like a
 * write that power cut short: it is told as torn bytes, and what the record replaced is still there
 * or its absence noticed. The seal that ends the log says no more than that the end is clean:
 * without it, the log ends there all the same.
 */
class FlippedBitTest {

    private static final int FLIPS = Scale.of(10_000, 8);
    private static final int MANIFEST_HEADER_BYTES = 32;
    private static final int RECORD_HEADER_BYTES = 21;

    private enum Outcome {
        REFUSED,
        FOUND_BY_VERIFICATION,
        TOLD_AS_TORN,
        DEAD
    }

    /** A file, and from where to where its bytes are alive, or may pass for torn. */
    private record Target(Path file, byte[] whole, int aliveUntil, int tornFrom) {}

    @Test
    void noFlipGivesAWrongAnswerAndEachIsFound() throws IOException {
        long seed = Scale.seed("FlippedBitTest");
        SplittableRandom random = new SplittableRandom(seed);
        FaultyDisk disk = new FaultyDisk();
        Model model = new Model();
        try (LsmStore store = Model.open(disk)) {
            for (int i = 0; i < 300; i++) {
                model.write(store, model.randomEntry(random));
            }
        }
        List<Target> targets = targets(disk);
        Map<String, Map<Outcome, Integer>> outcomes = new TreeMap<>();
        for (int flip = 0; flip < FLIPS; flip++) {
            Target target = targets.get(random.nextInt(targets.size()));
            int bit = random.nextInt(target.whole().length * 8);
            byte[] bytes = target.whole().clone();
            bytes[bit >> 3] ^= (byte) (1 << (bit & 7));
            FaultyDisk damaged = disk.afterPowerLoss(Keep.EVERYTHING, random);
            damaged.replace(target.file(), bytes);
            try {
                Outcome outcome = outcome(damaged, model);
                requireFound(target, bit >> 3, outcome);
                String kind = target.file().getFileName().toString();
                outcomes.computeIfAbsent(
                                kind.replaceAll("^[0-9a-f]{16}", "N"), none -> new TreeMap<>())
                        .merge(outcome, 1, Integer::sum);
            } catch (Throwable e) {
                throw new AssertionError(
                        "-Dquorate.seed=" + seed + ", " + target.file() + ", bit " + bit, e);
            }
        }
        outcomes.forEach((kind, counts) -> System.out.println(kind + ": " + counts));
        assertThat(outcomes.size()).as("kinds of files: %s", outcomes.keySet()).isGreaterThan(3);
    }

    private static void requireFound(Target target, int at, Outcome outcome) {
        if (at < target.aliveUntil()) {
            assertThat(outcome).isNotEqualTo(Outcome.DEAD);
        }
        if (at < target.tornFrom()) {
            assertThat(outcome).isNotEqualTo(Outcome.TOLD_AS_TORN);
        }
    }

    private static List<Target> targets(FaultyDisk disk) throws IOException {
        List<Target> targets = new ArrayList<>();
        Version version = VersionSet.open(disk, Model.DIRECTORY).version();
        for (String name : disk.list(Model.DIRECTORY)) {
            Path file = Model.DIRECTORY.resolve(name);
            byte[] whole = disk.read(file);
            int length = whole.length;
            FileNames.Name parsed = FileNames.parse(name);
            switch (parsed.kind()) {
                case TABLE, CURRENT -> targets.add(new Target(file, whole, length, length));
                case MANIFEST ->
                        targets.add(new Target(file, whole, length, lastManifestRecord(whole)));
                case LOG -> {
                    boolean needed = parsed.number() >= version.oldestSegment();
                    int end = needed ? endOfRecords(whole) : 0;
                    targets.add(new Target(file, whole, end, end));
                }
                case LOCK, CURRENT_NEXT, FOREIGN -> assertThat(length).isZero();
            }
        }
        assertThat(targets)
                .as("a log segment is alive")
                .anyMatch(
                        target ->
                                target.file().toString().endsWith(".log")
                                        && target.aliveUntil() > 0);
        return targets;
    }

    private static int lastManifestRecord(byte[] manifest) {
        ByteBuffer bytes = ByteBuffer.wrap(manifest);
        int at = MANIFEST_HEADER_BYTES;
        int last = at;
        while (at < manifest.length) {
            last = at;
            at += 20 + bytes.getInt(at + 4);
        }
        // Without its first record a manifest is refused.
        return last == MANIFEST_HEADER_BYTES ? manifest.length : last;
    }

    /**
     * Where the records of a segment end: with its seal, if that leads to another segment, or else
     * before it. 0 if nothing was ever written to it.
     */
    private static int endOfRecords(byte[] segment) {
        ByteBuffer bytes = ByteBuffer.wrap(segment);
        long mark = bytes.getLong(20);
        int at = 512;
        while (bytes.getLong(at + 8) == mark) {
            int end = at + RECORD_HEADER_BYTES + bytes.getInt(at + 4);
            if ((bytes.get(at + 20) & 2) != 0) {
                return bytes.getLong(at + RECORD_HEADER_BYTES) == 0 ? at : end;
            }
            at = end;
        }
        return 0;
    }

    /** A wrong answer is an assertion that fails. */
    private static Outcome outcome(FaultyDisk damaged, Model model) throws IOException {
        FaultyDisk copy = damaged.afterPowerLoss(Keep.EVERYTHING, new SplittableRandom(0));
        Verification.Report report = Verification.of(copy, Model.DIRECTORY, problem -> {});
        assertThat(copy.openFiles()).isZero();
        boolean refused = false;
        try (LsmStore store = Model.open(damaged)) {
            model.check(store);
        } catch (CorruptionException e) {
            refused = true;
        } catch (StorageException.Io e) {
            // A flip in the number of a format looks like another version of this program.
            assertThat(e).hasMessageContaining("format");
            refused = true;
        }
        assertThat(damaged.openFiles()).isZero();
        if (report.problems() > 0) {
            return refused ? Outcome.REFUSED : Outcome.FOUND_BY_VERIFICATION;
        }
        assertThat(refused).as("what reading meets, verification finds").isFalse();
        return report.tornBytes() > 0 ? Outcome.TOLD_AS_TORN : Outcome.DEAD;
    }
}
