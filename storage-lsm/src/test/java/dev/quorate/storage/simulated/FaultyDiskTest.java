package dev.quorate.storage.simulated;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quorate.storage.io.WritableFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** What is durable when: a disk that is too kind would hide what others forget. */
class FaultyDiskTest {

    private static final Path ONE = Path.of("/one");
    private static final Path OTHER = Path.of("/other");

    private final FaultyDisk disk = new FaultyDisk();

    private void make(Path file) throws IOException {
        try (WritableFile made = disk.create(file)) {
            made.write(ByteBuffer.wrap(new byte[] {1, 2, 3}), 0);
            made.force();
        }
    }

    private FaultyDisk afterPowerLoss() {
        return disk.afterPowerLoss(FaultyDisk.Keep.NOTHING, new SplittableRandom(1));
    }

    @Test
    void namesAreDurableWithTheirOwnDirectoryAlone() throws IOException {
        make(ONE.resolve("a"));
        make(OTHER.resolve("b"));
        disk.syncDirectory(ONE);
        assertThat(afterPowerLoss().list(ONE)).containsExactly("a");
        assertThat(afterPowerLoss().list(OTHER)).isEmpty();
        disk.syncDirectory(OTHER);
        assertThat(afterPowerLoss().list(OTHER)).containsExactly("b");
    }

    @Test
    void aNameThatMovesIsInBothPlacesOrInNoneUntilBothAreSynced() throws IOException {
        make(ONE.resolve("a"));
        disk.syncDirectory(ONE);
        disk.rename(ONE.resolve("a"), OTHER.resolve("b"));
        disk.syncDirectory(OTHER);
        assertThat(afterPowerLoss().list(ONE)).containsExactly("a");
        assertThat(afterPowerLoss().list(OTHER)).containsExactly("b");
        disk.syncDirectory(ONE);
        assertThat(afterPowerLoss().list(ONE)).isEmpty();
        assertThat(afterPowerLoss().read(OTHER.resolve("b"))).containsExactly(1, 2, 3);
    }
}
