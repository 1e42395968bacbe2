package dev.quorate.storage.wal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.quorate.storage.format.FileNames;
import dev.quorate.storage.io.DiskFullException;
import dev.quorate.storage.simulated.FaultyDisk;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Obsolete segments are recycled, and none leaks when the disk is full. */
class SegmentSupplyTest {

    private static final int BYTES = 8192;

    private final FaultyDisk disk = new FaultyDisk();
    private final AtomicLong numbers = new AtomicLong(2);
    private final List<String> told = new ArrayList<>();
    private final SegmentSupply supply = supply(numbers::getAndIncrement, 0);

    private SegmentSupply supply(LongSupplier fileNumbers, long reservedBytes) {
        return new SegmentSupply(
                disk,
                Segments.DIRECTORY,
                fileNumbers,
                BYTES,
                reservedBytes,
                Runnable::run,
                new SegmentSupply.Listener() {
                    @Override
                    public void segmentReady() {
                        told.add("ready");
                    }

                    @Override
                    public void segmentFailed(IOException cause) {
                        told.add(cause instanceof DiskFullException ? "delayed" : "failed");
                    }
                });
    }

    private static LogSegment taken(@Nullable LogSegment segment) {
        return Objects.requireNonNull(segment);
    }

    @Test
    void aSegmentThatIsTooSmallBecomesASpare() throws IOException {
        supply.request(1);
        assertThat(supply.idleBytes()).isEqualTo(BYTES);
        assertThat(supply.take(BYTES + 1)).isNull();
        supply.request(2 * BYTES);
        LogSegment large = taken(supply.take(BYTES + 1));
        assertThat(large.bytes()).isEqualTo(2 * BYTES);
        assertThat(supply.idleBytes()).as("the small one").isEqualTo(BYTES);
        assertThat(supply.take(1)).isNull();
        assertThat(disk.openFiles()).isEqualTo(1);
        supply.request(1);
        LogSegment small = taken(supply.take(BYTES));
        assertThat(disk.list(Segments.DIRECTORY)).as("recycled").hasSize(2);
        assertThat(told).containsExactly("ready", "ready", "ready");
        large.file().close();
        small.file().close();
    }

    /** Otherwise unneeded files fill the disk. */
    @Test
    void twoSparesOfTheUsualSizeAreRetained() throws IOException {
        Segments.start(disk, 10, 2 * BYTES).close();
        for (int number = 11; number <= 13; number++) {
            Segments.start(disk, number, BYTES).close();
        }
        for (int number = 10; number <= 13; number++) {
            supply.recycle(number);
        }
        assertThat(disk.list(Segments.DIRECTORY))
                .containsExactly(FileNames.log(11), FileNames.log(12));
        assertThat(supply.idleBytes()).isEqualTo(2 * BYTES);
        assertThat(disk.openFiles()).isZero();
    }

    @Test
    void aNewSegmentLeavesTheReserve() throws IOException {
        SegmentSupply reserving = supply(numbers::getAndIncrement, 1_000);
        disk.setCapacity(disk.usedBytes() + BYTES + 999);
        reserving.request(1);
        assertThat(told).containsExactly("delayed");
        assertThat(disk.list(Segments.DIRECTORY)).isEmpty();
        disk.setCapacity(disk.usedBytes() + BYTES + 1_000);
        reserving.request(1);
        assertThat(told).containsExactly("delayed", "ready");
        reserving.close();
        assertThat(disk.openFiles()).isZero();
    }

    @Test
    void aFailedPreparationIsReported() {
        disk.failForce(1);
        supply.request(1);
        assertThat(told).containsExactly("failed");
        assertThat(supply.take(1)).isNull();
    }

    @Test
    void closingDuringAPreparationClosesTheSegment() throws IOException {
        SegmentSupply[] closing = new SegmentSupply[1];
        closing[0] =
                supply(
                        () -> {
                            try {
                                closing[0].close();
                            } catch (IOException e) {
                                throw new AssertionError(e);
                            }
                            return 1;
                        },
                        0);
        closing[0].request(1);
        assertThat(closing[0].take(1)).isNull();
        closing[0].request(1);
        assertThat(told).isEmpty();
        assertThat(disk.openFiles()).isZero();
    }

    @Test
    void aSpareWhoseRenameFailedIsReused() throws IOException {
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

    /** Its name is new, but its header is not. */
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
