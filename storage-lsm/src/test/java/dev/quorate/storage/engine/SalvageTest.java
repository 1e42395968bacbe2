package dev.quorate.storage.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.quorate.storage.CorruptionException;
import dev.quorate.storage.StorageOptions;
import dev.quorate.storage.format.FileNames;
import dev.quorate.storage.inspect.Salvage;
import dev.quorate.storage.inspect.Verification;
import dev.quorate.storage.simulated.FaultyDisk;
import dev.quorate.storage.wal.LogRecovery;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** A store with a damaged log opens with all readable records after a salvage. */
class SalvageTest {

    private static final int KEYS = 60;

    /** All writes fit one segment and are in no table. */
    private static final StorageOptions OPTIONS =
            Model.TINY.withMemtableBytes(1 << 20).withSegmentBytes(64 << 10);

    private final List<String> told = new ArrayList<>();
    private int notes;

    private static byte[] key(int i) {
        return Writes.bytes("key %02d".formatted(i));
    }

    /** A store that was killed, with every key in its log. */
    private static FaultyDisk used() {
        FaultyDisk disk = new FaultyDisk();
        LsmStore store = Model.open(disk, OPTIONS, StoreExecutors.inPlace((millis, task) -> {}));
        for (int i = 0; i < KEYS; i++) {
            Writes.put(store, "key %02d".formatted(i), i + 1, new byte[500]).join();
        }
        return disk.afterKill();
    }

    private int salvage(FaultyDisk disk) throws IOException {
        return Salvage.of(disk, Model.DIRECTORY, () -> notes++, told::add);
    }

    /** The one with all entries. */
    private static Path segment(FaultyDisk disk) throws IOException {
        for (String name : disk.list(Model.DIRECTORY)) {
            FileNames.Name parsed = FileNames.parse(name);
            if (parsed.kind() == FileNames.Kind.LOG
                    && LogRecovery.containsRecords(disk, Model.DIRECTORY, parsed.number())) {
                return Model.DIRECTORY.resolve(name);
            }
        }
        throw new AssertionError("no segment holds records");
    }

    private static int found(FaultyDisk disk) {
        int found = 0;
        try (LsmStore store = Model.open(disk.afterKill())) {
            for (int i = 0; i < KEYS; i++) {
                found += Model.find(store.lookup(key(i))) == null ? 0 : 1;
            }
        }
        return found;
    }

    @Test
    void anIntactLogIsUnchanged() throws IOException {
        FaultyDisk disk = used();
        long steps = disk.steps();
        assertThat(salvage(disk)).isZero();
        assertThat(disk.steps()).isEqualTo(steps);
        assertThat(told).isEmpty();
        assertThat(notes).isZero();
        assertThat(found(disk)).isEqualTo(KEYS);
    }

    /** A flipped bit loses only the record that contains it, and none if it is in the header. */
    @Test
    void aFlippedBitLosesOneRecord() throws IOException {
        SplittableRandom random = new SplittableRandom(17);
        Path segment = segment(used());
        for (int round = 0; round < 60; round++) {
            boolean inHeader = round % 4 == 0;
            // After the format version, whose flip means an unknown format, and before the zeros.
            int at = inHeader ? random.nextInt(12, 32) : random.nextInt(512, 30_000);
            FaultyDisk disk = used();
            disk.flip(segment, at);
            byte[] damaged = disk.read(segment);
            assertThatThrownBy(() -> Model.open(disk.afterKill()))
                    .as("byte %d", at)
                    .isInstanceOf(CorruptionException.class);
            told.clear();
            notes = 0;
            assertThat(salvage(disk)).as("byte %d", at).isEqualTo(1);
            assertThat(notes).isEqualTo(1);
            assertThat(told.stream().filter(line -> line.contains("left out: bytes")))
                    .as("byte %d: %s", at, told)
                    .hasSize(inHeader ? 0 : 1);
            assertThat(found(disk)).as("byte %d", at).isEqualTo(inHeader ? KEYS : KEYS - 1);
            assertThat(disk.read(Path.of(segment + ".damaged"))).isEqualTo(damaged);
            Verification.Report report =
                    Verification.of(disk, Model.DIRECTORY, problem -> told.add("" + problem));
            assertThat(report.problems()).as("%s", told).isZero();
        }
    }

    @Test
    void aMissingSegmentIsReported() throws IOException {
        FaultyDisk disk = used();
        Path gone = segment(disk);
        disk.remove(gone);
        assertThatThrownBy(() -> Model.open(disk.afterKill()))
                .isInstanceOf(CorruptionException.class);
        assertThat(salvage(disk)).isEqualTo(1);
        assertThat(told)
                .containsExactly(
                        gone.getFileName()
                                + ": the file is gone, and all that it held is left out.");
        assertThat(found(disk)).isZero();
    }

    /** The power fails at each step: salvage can be repeated. */
    @Test
    void salvageIsRepeatableAfterACrash() throws IOException {
        FaultyDisk damaged = used();
        Path first = segment(damaged);
        damaged.flip(first, 3_000);
        List<FaultyDisk> crashes = new ArrayList<>();
        FaultyDisk disk = damaged.afterKill();
        disk.beforeStep(
                step ->
                        crashes.add(
                                disk.afterPowerLoss(
                                        FaultyDisk.Keep.SOME, new SplittableRandom(step))));
        assertThat(salvage(disk)).isEqualTo(1);
        int expected = found(disk);
        assertThat(crashes).hasSizeGreaterThan(5);
        for (FaultyDisk crashed : crashes) {
            salvage(crashed);
            assertThat(found(crashed)).isEqualTo(expected);
        }
    }
}
