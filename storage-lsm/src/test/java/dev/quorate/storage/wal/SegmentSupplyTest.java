package dev.quorate.storage.wal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.quorate.storage.io.DiskFullException;
import dev.quorate.storage.simulated.FaultyDisk;
import java.io.IOException;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** Files of old segments are used again, and none is forgotten when the disk is full. */
class SegmentSupplyTest {

    private static final int BYTES = 8192;

    private final FaultyDisk disk = new FaultyDisk();
    private final AtomicLong numbers = new AtomicLong(2);
    private final SegmentSupply supply =
            new SegmentSupply(
                    disk,
                    Segments.DIRECTORY,
                    numbers::getAndIncrement,
                    BYTES,
                    0,
                    Runnable::run,
                    new SegmentSupply.Listener() {
                        @Override
                        public void segmentReady() {}

                        @Override
                        public void segmentDelayed(DiskFullException cause) {}

                        @Override
                        public void segmentFailed(IOException cause) {
                            throw new AssertionError(cause);
                        }
                    });

    @Test
    void aSpareThatCouldNotBeRenamedIsUsedTheNextTime() throws IOException {
        Segments.start(disk, 1, BYTES).close();
        supply.recycle(1);
        disk.setOverwritesNeedSpace(true);
        disk.setCapacity(disk.usedBytes());
        for (int attempt = 0; attempt < 3; attempt++) {
            assertThatThrownBy(() -> supply.prepare(BYTES)).isInstanceOf(DiskFullException.class);
            assertThat(supply.idleBytes()).isEqualTo(BYTES);
        }
        disk.setCapacity(Long.MAX_VALUE);
        LogSegment prepared = supply.prepare(BYTES);
        assertThat(disk.list(Segments.DIRECTORY))
                .as("the spare under another name")
                .containsExactly(String.valueOf(Segments.path(prepared.number()).getFileName()));
        assertThat(supply.idleBytes()).isZero();
        prepared.file().close();
        assertThat(disk.openFiles()).isZero();
    }

    /** Its old records have another number; its header is not yet the new one. */
    @Test
    void aSpareThatWasRenamedButNotWrittenIsDeleted() throws IOException {
        Segments.start(disk, 1, BYTES).close();
        supply.recycle(1);
        disk.failForce(disk.forces() + 1);
        assertThatThrownBy(() -> supply.prepare(BYTES)).isInstanceOf(IOException.class);
        assertThat(supply.idleBytes()).isZero();
        assertThat(disk.list(Segments.DIRECTORY)).isEmpty();
        assertThat(disk.openFiles()).isZero();
    }
}
