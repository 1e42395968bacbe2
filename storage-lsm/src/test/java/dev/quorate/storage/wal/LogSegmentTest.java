package dev.quorate.storage.wal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.quorate.storage.format.FileNames;
import dev.quorate.storage.simulated.FaultyDisk;
import dev.quorate.storage.simulated.FaultyDisk.Keep;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A new segment is durable: its name, its size and its header. */
class LogSegmentTest {

    private static final Path DIRECTORY = Path.of("/store");
    private static final int BYTES = 4_096;

    private final FaultyDisk disk = new FaultyDisk();

    /** Including one larger than a single write. */
    @ParameterizedTest
    @ValueSource(ints = {BYTES, 300_000})
    void aNewSegmentIsDurable(int bytes) throws IOException {
        LogSegment.create(disk, DIRECTORY, 1, bytes).file().close();
        assertThat(disk.read(path(1))).hasSize(bytes);
        checkDurable(1);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void aNewSegmentThatCannotBeMadeDurableIsDeleted(int failing) {
        disk.failForce(failing);
        assertThatThrownBy(() -> LogSegment.create(disk, DIRECTORY, 1, BYTES))
                .isInstanceOf(IOException.class);
        assertThat(disk.list(DIRECTORY)).isEmpty();
        assertThat(disk.openFiles()).isZero();
    }

    @Test
    void aRecycledSegmentIsDurable() throws IOException {
        LogSegment.create(disk, DIRECTORY, 1, BYTES).file().close();
        LogSegment.recycle(disk, DIRECTORY, 1, 2, BYTES).file().close();
        checkDurable(2);
        assertThat(afterPowerLoss().exists(path(1))).isFalse();
    }

    @Test
    void aSegmentHasALimitOfThreeQuartersAtLeastByItsMark() throws IOException {
        Set<Long> limits = new HashSet<>();
        for (int number = 1; number <= 100; number++) {
            LogSegment segment = LogSegment.create(disk, DIRECTORY, number, BYTES);
            segment.file().close();
            long limit = segment.limit(BYTES);
            assertThat(limit).isBetween(BYTES * 3L / 4, (long) BYTES);
            assertThat(segment.limit(1)).isEqualTo(1);
            limits.add(limit);
        }
        assertThat(limits).hasSizeBetween(40, 64);
    }

    /** Who watches flushes could otherwise find out what a value must contain to be a record. */
    @Test
    void limitsTellSixBitsOfTheMark() throws IOException {
        LogSegment segment = LogSegment.create(disk, DIRECTORY, 1, BYTES);
        segment.file().close();
        for (int bit = 6; bit < Long.SIZE; bit++) {
            LogSegment other = new LogSegment(1, segment.mark() ^ 1L << bit, BYTES, segment.file());
            assertThat(other.limit(16 << 20)).isEqualTo(segment.limit(16 << 20));
            assertThat(other.limit(32 << 20)).isEqualTo(segment.limit(32 << 20));
        }
    }

    private void checkDurable(long number) {
        assertThat(afterPowerLoss().exists(path(number))).isTrue();
        assertThat(afterPowerLoss().read(path(number))).isEqualTo(disk.read(path(number)));
    }

    private FaultyDisk afterPowerLoss() {
        return disk.afterPowerLoss(Keep.NOTHING, new SplittableRandom(0));
    }

    private static Path path(long number) {
        return DIRECTORY.resolve(FileNames.log(number));
    }
}
