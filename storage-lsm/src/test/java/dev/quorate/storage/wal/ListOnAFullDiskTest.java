package dev.quorate.storage.wal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quorate.storage.Entry;
import dev.quorate.storage.StorageException;
import dev.quorate.storage.StorageOptions;
import dev.quorate.storage.Timestamp;
import dev.quorate.storage.WriteCompletion;
import dev.quorate.storage.io.DiskFullException;
import dev.quorate.storage.simulated.FaultyDisk;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A list of several groups, of which the first one finds no space, and the second one would. */
class ListOnAFullDiskTest {

    private static final int SEGMENT_BYTES = 8 << 20;

    private final FaultyDisk disk = new FaultyDisk();
    private final List<String> told = new ArrayList<>();
    private final GroupCommit commit =
            new GroupCommit(
                    new SegmentSupply(
                            disk,
                            Segments.DIRECTORY,
                            () -> 2,
                            SEGMENT_BYTES,
                            0,
                            Runnable::run,
                            new NoSegments()),
                    StorageOptions.defaults().withSegmentBytes(SEGMENT_BYTES),
                    Runnable::run,
                    Runnable::run,
                    (millis, task) -> {},
                    () -> 0,
                    new Listener());

    @Test
    void nothingOfItIsStoredWithoutWhatIsBeforeIt() throws IOException {
        disk.setOverwritesNeedSpace(true);
        commit.begin(LogSegment.create(disk, Segments.DIRECTORY, 1, SEGMENT_BYTES));
        disk.setCapacity(disk.usedBytes());
        Entry first = Entry.value(new byte[] {1}, new Timestamp(1, 1), new byte[900_000], 3);
        Entry second = Entry.value(new byte[] {2}, new Timestamp(2, 1), new byte[900_000], 3);
        commit.submit(
                List.of(first, second),
                new WriteCompletion() {
                    @Override
                    public void stored(Timestamp newest) {
                        told.add("stored");
                    }

                    @Override
                    public void failed(StorageException cause) {
                        told.add("failed");
                    }
                });
        assertThat(told).containsExactlyInAnyOrder("out of space", "failed");
    }

    /** There is space again before the next group. */
    private final class Listener extends HealthyLog {

        @Override
        public void outOfSpace(DiskFullException cause) {
            told.add("out of space");
            disk.setCapacity(Long.MAX_VALUE);
        }

        @Override
        public long committed(List<PendingWrite> writes) {
            told.add("committed");
            return 0;
        }
    }
}
