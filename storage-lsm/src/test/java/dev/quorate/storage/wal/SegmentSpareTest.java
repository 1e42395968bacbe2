package dev.quorate.storage.wal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quorate.storage.Entry;
import dev.quorate.storage.StorageException;
import dev.quorate.storage.StorageOptions;
import dev.quorate.storage.Timestamp;
import dev.quorate.storage.WriteCompletion;
import dev.quorate.storage.simulated.FaultyDisk;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/**
 * Replicas with the same writes do not flush at the same time: each segment spares another part.
 */
class SegmentSpareTest {

    private static final int SEGMENT_BYTES = 1 << 16;
    private static final int MEMTABLE_BYTES = 1 << 16;
    private static final int ENTRY_BYTES = 64;

    private final FaultyDisk disk = new FaultyDisk();
    private final TreeMap<Long, Integer> writesOfSegment = new TreeMap<>();
    private long segments;
    private long stamped;

    /** How many writes the first of the segments took, each of which rolled when it was full. */
    private List<Integer> writes(int entryBytes, StorageOptions options) throws IOException {
        SegmentSupply supply =
                new SegmentSupply(
                        disk,
                        Segments.DIRECTORY,
                        () -> ++segments,
                        options.segmentBytes(),
                        0,
                        Runnable::run,
                        new NoSegments());
        GroupCommit commit =
                new GroupCommit(
                        supply,
                        options,
                        Runnable::run,
                        Runnable::run,
                        (millis, task) -> {},
                        false,
                        () -> 0,
                        new Listener(entryBytes));
        disk.createDirectories(Segments.DIRECTORY);
        commit.begin(
                LogSegment.create(disk, Segments.DIRECTORY, ++segments, options.segmentBytes()));
        while (writesOfSegment.size() <= 20) {
            Entry entry = Entry.tombstone(new byte[] {1}, new Timestamp(++stamped, 1), 1);
            commit.submit(entry, new Ignored());
        }
        writesOfSegment.pollLastEntry();
        return new ArrayList<>(writesOfSegment.values());
    }

    private final class Listener extends HealthyLog {
        private final int entryBytes;
        private long memtable;

        Listener(int entryBytes) {
            this.entryBytes = entryBytes;
        }

        @Override
        public long committed(long segment, List<PendingWrite> writes) {
            int before = writesOfSegment.getOrDefault(segment, 0);
            memtable = before == 0 ? 0 : memtable;
            memtable += (long) writes.size() * entryBytes;
            writesOfSegment.put(segment, before + writes.size());
            return memtable;
        }
    }

    private static final class Ignored implements WriteCompletion {
        @Override
        public void stored(Timestamp newest) {}

        @Override
        public void failed(StorageException cause) {
            throw new AssertionError(cause);
        }
    }

    private static void assertSpread(List<Integer> writes) {
        int most = Collections.max(writes);
        assertThat(new HashSet<>(writes)).as("writes of a segment").hasSizeGreaterThan(5);
        assertThat(Collections.min(writes)).isBetween(most * 7 / 10, most * 9 / 10);
    }

    @Test
    void segmentsRollAfterDifferentNumbersOfBytes() throws IOException {
        assertSpread(writes(0, StorageOptions.defaults().withSegmentBytes(SEGMENT_BYTES)));
    }

    @Test
    void memtablesAreSealedAtDifferentSizes() throws IOException {
        StorageOptions options =
                StorageOptions.defaults()
                        .withSegmentBytes(8 * SEGMENT_BYTES)
                        .withMemtableBytes(MEMTABLE_BYTES);
        assertSpread(writes(ENTRY_BYTES, options));
    }
}
