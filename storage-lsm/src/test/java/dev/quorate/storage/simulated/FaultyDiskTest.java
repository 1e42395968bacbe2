package dev.quorate.storage.simulated;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quorate.storage.io.WritableFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** The durability rules of the disk: a disk that is too lenient would hide missing fsyncs. */
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
    void aNameIsDurableOnlyAfterItsOwnDirectoryIsSynced() throws IOException {
        make(ONE.resolve("a"));
        make(OTHER.resolve("b"));
        disk.syncDirectory(ONE);
        assertThat(afterPowerLoss().list(ONE)).containsExactly("a");
        assertThat(afterPowerLoss().list(OTHER)).isEmpty();
        disk.syncDirectory(OTHER);
        assertThat(afterPowerLoss().list(OTHER)).containsExactly("b");
    }

    @Test
    void aMoveBetweenDirectoriesIsDurableAfterBothAreSynced() throws IOException {
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

    @Test
    void imagesAreIndependentOfTheDisk() throws IOException {
        make(ONE.resolve("a"));
        disk.syncDirectory(ONE);
        FaultyDisk taken = disk.afterKill();
        try (WritableFile file = disk.open(ONE.resolve("a"))) {
            file.write(ByteBuffer.wrap(new byte[] {9, 9}), 1);
            file.force();
        }
        assertThat(afterPowerLoss().read(ONE.resolve("a"))).containsExactly(1, 9, 9);
        assertThat(
                        taken.afterPowerLoss(FaultyDisk.Keep.NOTHING, new SplittableRandom(1))
                                .read(ONE.resolve("a")))
                .containsExactly(1, 2, 3);
    }

    @Test
    void forcedBytesAreDurable() throws IOException {
        Path name = ONE.resolve("a");
        make(name);
        disk.syncDirectory(ONE);
        SplittableRandom random = new SplittableRandom(7);
        try (WritableFile file = disk.open(name)) {
            for (int i = 0; i < 300; i++) {
                byte[] bytes = new byte[random.nextInt(700)];
                random.nextBytes(bytes);
                if (random.nextInt(10) == 0) {
                    file.truncate(random.nextLong(file.size() + 1));
                } else {
                    file.write(ByteBuffer.wrap(bytes), random.nextInt(2_000));
                }
                if (random.nextInt(3) == 0) {
                    file.force();
                    assertThat(afterPowerLoss().read(name)).isEqualTo(disk.read(name));
                }
            }
        }
    }
}
