package dev.quorate.storage.wal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quorate.storage.Entry;
import dev.quorate.storage.Timestamp;
import dev.quorate.storage.simulated.FaultyDisk;
import dev.quorate.storage.simulated.FaultyDisk.Keep;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A replaced segment names the same next segment as the damaged one. */
class LogSalvageTest {

    private static final int BYTES = 8192;

    private final FaultyDisk disk = new FaultyDisk();
    private final LogSalvage salvage = new LogSalvage(disk, Segments.DIRECTORY);

    private static Entry entry(int i) {
        return Entry.value(new byte[] {(byte) i}, new Timestamp(i, 1), new byte[300], 3);
    }

    /** Segments 1 to 3, of ten entries each; the last is not sealed. */
    @BeforeEach
    void write() throws IOException {
        WriteAheadLog log = Segments.start(disk, 1, BYTES);
        for (int i = 0; i < 30; i++) {
            if (i == 10 || i == 20) {
                long next = log.segmentNumber() + 1;
                log.seal(next);
                log.start(LogSegment.create(disk, Segments.DIRECTORY, next, BYTES));
            }
            Segments.appendGroup(log, List.of(entry(i)));
        }
    }

    private static List<Entry> entries(int without, int to) {
        List<Entry> entries = new ArrayList<>();
        for (int i = 0; i < to; i++) {
            if (i != without) {
                entries.add(entry(i));
            }
        }
        return entries;
    }

    /** The offset of the i-th record of a segment, or of the seal. */
    private static int offsetOf(int i) {
        return LogFormat.HEADER_BYTES + i * WriteAheadLog.recordBytes(entry(0));
    }

    @Test
    void aReadableSealNamesTheNextSegment() throws IOException {
        disk.flip(Segments.path(2), offsetOf(4) + 50);
        LogSalvage.Result result = salvage.replace(2, 99);
        assertThat(result)
                .isEqualTo(
                        new LogSalvage.Result(
                                9,
                                List.of("bytes %,d to %,d".formatted(offsetOf(4), offsetOf(5))),
                                3));
        assertThat(Segments.recover(disk, 1)).isEqualTo(entries(14, 30));
    }

    @Test
    void theCallerNamesTheNextSegmentIfTheSealIsDamaged() throws IOException {
        disk.flip(Segments.path(2), offsetOf(10) + 5);
        LogSalvage.Result result = salvage.replace(2, 3);
        assertThat(result.entries()).isEqualTo(10);
        assertThat(result.next()).isEqualTo(3);
        assertThat(Segments.recover(disk, 1)).isEqualTo(entries(-1, 30));
    }

    @Test
    void theLastSegmentEndsTheLog() throws IOException {
        disk.flip(Segments.path(3), offsetOf(3) + 50);
        assertThat(salvage.replace(3, 0).next()).isZero();
        assertThat(Segments.recover(disk, 1)).isEqualTo(entries(23, 30));
    }

    @Test
    void anEmptySegmentReplacesAMissingOne() throws IOException {
        disk.remove(Segments.path(2));
        salvage.replaceMissing(2, 3);
        List<Entry> expected = entries(-1, 10);
        expected.addAll(entries(-1, 30).subList(20, 30));
        assertThat(Segments.recover(disk, 1)).isEqualTo(expected);
    }

    /** The damaged file is retained unchanged, however often salvage is repeated. */
    @Test
    void theReplacementIsDurable() throws IOException {
        disk.flip(Segments.path(2), offsetOf(4) + 50);
        byte[] damaged = disk.read(Segments.path(2));
        disk.replace(Path.of(Segments.path(2) + ".salvage"), new byte[] {1});
        salvage.replace(2, 99);
        salvage.replace(2, 99);
        FaultyDisk after = disk.afterPowerLoss(Keep.NOTHING, new SplittableRandom(0));
        assertThat(Segments.recover(after, 1)).isEqualTo(entries(14, 30));
        assertThat(after.read(Path.of(Segments.path(2) + LogSalvage.DAMAGED))).isEqualTo(damaged);
        assertThat(after.exists(Path.of(Segments.path(2) + ".salvage"))).isFalse();
        // The log that wrote the segments is still open.
        assertThat(disk.openFiles()).isEqualTo(1);
    }

    @Test
    void theFirstRecordIdentifiesASegmentWithADamagedHeader() throws IOException {
        disk.flip(Segments.path(2), 25);
        LogSalvage.Result result = salvage.replace(2, 99);
        assertThat(result).isEqualTo(new LogSalvage.Result(10, List.of(), 3));
        assertThat(Segments.recover(disk, 1)).isEqualTo(entries(-1, 30));
    }

    /** Without header and first record the mark is unknown. */
    @Test
    void aSegmentWithoutHeaderAndFirstRecordIsLost() throws IOException {
        disk.flip(Segments.path(2), 25);
        disk.flip(Segments.path(2), offsetOf(0) + 50);
        LogSalvage.Result result = salvage.replace(2, 3);
        assertThat(result.entries()).isZero();
        assertThat(result.lost()).hasSize(1);
        List<Entry> expected = entries(-1, 10);
        expected.addAll(entries(-1, 30).subList(20, 30));
        assertThat(Segments.recover(disk, 1)).isEqualTo(expected);
    }
}
