package dev.quorate.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.quorate.storage.CorruptionException;
import dev.quorate.storage.simulated.FaultyDisk;
import java.io.IOException;
import java.nio.file.Path;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** Data that one member wrote is not another's. */
class DataDirectoryTest {

    private static final Path DATA = Path.of("/data");
    private static final Path MEMBER = DATA.resolve("member");

    @Test
    void whoseDataItIsOutlivesThePowerAndIsHeldAgainstOthers() throws IOException {
        FaultyDisk disk = new FaultyDisk();
        var _ = DataDirectory.open(disk, DATA, "n1");
        FaultyDisk after = disk.afterPowerLoss(FaultyDisk.Keep.NOTHING, new SplittableRandom(1));
        assertThatThrownBy(() -> DataDirectory.open(after, DATA, "n2"))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("n1")
                .hasMessageContaining("n2");
        assertThat(DataDirectory.open(after, DATA, "n1").path()).isEqualTo(DATA);
    }

    @Test
    void aNameThatCannotBeReadIsDamageAndNotANewDirectory() throws IOException {
        FaultyDisk disk = new FaultyDisk();
        var _ = DataDirectory.open(disk, DATA, "n1");
        disk.replace(MEMBER, new byte[0]);
        assertThatThrownBy(() -> DataDirectory.open(disk, DATA, "n1"))
                .isInstanceOf(CorruptionException.class)
                .hasMessageContaining("member");
    }
}
