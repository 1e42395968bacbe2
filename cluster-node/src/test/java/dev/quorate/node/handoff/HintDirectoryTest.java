package dev.quorate.node.handoff;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quorate.storage.simulated.FaultyDisk;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** Files that are deleted or moved one by one, and a power loss in between. */
class HintDirectoryTest {

    private static final Path HINTS = Path.of("/data/hints");
    private static final Path ASIDE = Path.of("/data/hints.damaged");
    private static final List<String> STORE = List.of("000001.log", "000002.sst", "CURRENT");

    private static FaultyDisk disk() {
        FaultyDisk disk = new FaultyDisk();
        STORE.forEach(name -> disk.replace(HINTS.resolve(name), new byte[] {1}));
        return disk;
    }

    private static FaultyDisk afterPowerLoss(FaultyDisk disk, FaultyDisk.Keep keep, int seed) {
        return disk.afterPowerLoss(keep, new SplittableRandom(seed));
    }

    /** A store that lacks some of its files would be taken for a damaged one. */
    @Test
    void aStoreThatWasToBeDeletedIsWholeOrGone() throws IOException {
        boolean done = false;
        for (long steps = 0; !done; steps++) {
            FaultyDisk disk = disk();
            long last = steps;
            disk.beforeStep(
                    step -> {
                        if (step > last) {
                            throw new IllegalStateException("the power is lost");
                        }
                    });
            try {
                new HintDirectory(disk, HINTS).empty();
                done = true;
            } catch (IllegalStateException lost) {
                assertThat(lost).hasMessage("the power is lost");
            }
            for (int seed = 0; seed < 20; seed++) {
                FaultyDisk after = afterPowerLoss(disk, FaultyDisk.Keep.SOME, seed);
                new HintDirectory(after, HINTS).prepare();
                assertThat(after.list(HINTS)).as("%d steps", steps).isIn(STORE, List.of());
            }
        }
    }

    /** Else it would be found beside the next store, and that one be deleted. */
    @Test
    void nothingIsLeftOfOneThatWasDeletedAndNoMarkEither() throws IOException {
        FaultyDisk disk = disk();
        HintDirectory directory = new HintDirectory(disk, HINTS);
        assertThat(directory.holdsStore()).isTrue();
        directory.empty();
        assertThat(disk.openFiles()).isZero();
        FaultyDisk after = afterPowerLoss(disk, FaultyDisk.Keep.NOTHING, 1);
        assertThat(after.list(HINTS)).isEmpty();
        assertThat(new HintDirectory(after, HINTS).holdsStore()).isFalse();
    }

    @Test
    void aStoreThatIsNotToBeDeletedStays() throws IOException {
        FaultyDisk disk = disk();
        new HintDirectory(disk, HINTS).prepare();
        assertThat(disk.list(HINTS)).isEqualTo(STORE);
    }

    @Test
    void aStoreSetAsideReplacesAnEarlierOne() throws IOException {
        FaultyDisk disk = disk();
        disk.replace(ASIDE.resolve("of-before"), new byte[] {2});
        assertThat(new HintDirectory(disk, HINTS).setAside()).isEqualTo(ASIDE);
        FaultyDisk after = afterPowerLoss(disk, FaultyDisk.Keep.NOTHING, 1);
        assertThat(after.list(ASIDE)).isEqualTo(STORE);
        assertThat(after.list(HINTS)).isEmpty();
    }
}
