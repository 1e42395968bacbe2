package dev.quorate.storage.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quorate.storage.CorruptionException;
import dev.quorate.storage.Scale;
import dev.quorate.storage.StorageException;
import dev.quorate.storage.format.FileNames;
import dev.quorate.storage.inspect.Verification;
import dev.quorate.storage.manifest.StoreVersion;
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
 * One bit flips in any file of a closed store: the store returns correct results or reports damage,
 * and never returns a wrong result. Verification finds every flip of a live byte.
 *
 * <p>Dead bytes are, by the formats, only those after the seal of a log segment, and segments
 * outside the chain. The manifest's last record is live, but a flip in it looks like a torn write:
 * it is reported as torn bytes, and the files that the record replaced still exist or are reported
 * as missing. The seal at the end of the log only marks a clean end: without it the log ends there
 * too.
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

    /** A file and the ranges of its bytes that are live or may look torn. */
    private record Target(Path file, byte[] whole, int aliveUntil, int tornFrom) {}

    @Test
    void noFlipCausesAWrongAnswerAndVerificationFindsEach() throws IOException {
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
        StoreVersion version = VersionSet.open(disk, Model.DIRECTORY).version();
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
        // A manifest without its first record is rejected.
        return last == MANIFEST_HEADER_BYTES ? manifest.length : last;
    }

    /**
     * The end of the records of a segment: including its seal if that names another segment. 0 if
     * nothing was written to it.
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

    /** A wrong result fails an assertion. */
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
            // A flip in a format number looks like another version.
            assertThat(e).hasMessageContaining("format");
            refused = true;
        }
        assertThat(damaged.openFiles()).isZero();
        if (report.problems() > 0) {
            return refused ? Outcome.REFUSED : Outcome.FOUND_BY_VERIFICATION;
        }
        assertThat(refused).as("verification finds what a read finds").isFalse();
        return report.tornBytes() > 0 ? Outcome.TOLD_AS_TORN : Outcome.DEAD;
    }
}
