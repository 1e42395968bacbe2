package dev.quorate.storage.wal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quorate.storage.format.FileNames;
import dev.quorate.storage.simulated.FaultyDisk;
import dev.quorate.storage.simulated.FaultyDisk.Keep;
import java.io.IOException;
import java.nio.file.Path;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** A segment that is handed out is durable: its name, its size and its header. */
class LogSegmentTest {

    private static final Path DIRECTORY = Path.of("/store");
    private static final int BYTES = 4_096;

    private final FaultyDisk disk = new FaultyDisk();

    @Test
    void aNewSegmentIsDurable() throws IOException {
        LogSegment.create(disk, DIRECTORY, 1, BYTES).file().close();
        assertThat(disk.read(path(1))).hasSize(BYTES);
        checkDurable(1);
    }

    @Test
    void aRecycledSegmentIsDurable() throws IOException {
        LogSegment.create(disk, DIRECTORY, 1, BYTES).file().close();
        LogSegment.recycle(disk, DIRECTORY, 1, 2, BYTES).file().close();
        checkDurable(2);
        assertThat(afterPowerLoss().exists(path(1))).isFalse();
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
