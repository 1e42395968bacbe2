package dev.quorate.storage.wal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.quorate.storage.Entry;
import dev.quorate.storage.Timestamp;
import dev.quorate.storage.io.WritableFile;
import dev.quorate.storage.simulated.FaultyDisk;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The exact bounds of a segment. */
class WriteAheadLogTest {

    private final FaultyDisk disk = new FaultyDisk();

    private static Entry entry(int i) {
        return entry(i, 100);
    }

    private static Entry entry(int i, int valueBytes) {
        return Entry.value(new byte[] {(byte) i}, new Timestamp(i, 1), new byte[valueBytes], 3);
    }

    /** A record, its group's mark and the seal fill the segment completely. */
    @Test
    void aSegmentMayBeFull() throws IOException {
        int recordBytes = WriteAheadLog.recordBytes(entry(1));
        long bytes = WriteAheadLog.segmentBytesFor(recordBytes);
        WriteAheadLog log = Segments.start(disk, 1, bytes);
        assertThat(log.isEmpty()).isTrue();
        assertThat(log.fits(recordBytes)).isTrue();
        assertThat(log.fits(recordBytes + 1)).isFalse();
        Segments.append(log, List.of(entry(1)), false);
        assertThat(log.isEmpty()).isFalse();
        assertThat(log.fits(0)).isTrue();
        assertThat(log.fits(1)).isFalse();
        log.force();
        log.seal(2);
        assertThat(disk.read(Segments.path(1))).hasSize((int) bytes);
        log.start(LogSegment.create(disk, Segments.DIRECTORY, 2, bytes));
        Segments.appendGroup(log, List.of(entry(2)));
        assertThat(Segments.recover(disk, 1)).containsExactly(entry(1), entry(2));
    }

    /** A segment created without space for records. */
    @Test
    void aSegmentOfAHeaderAloneIsEmpty() throws IOException {
        int header = LogFormat.HEADER_BYTES;
        LogSegment.create(disk, Segments.DIRECTORY, 1, header).file().close();
        assertThat(disk.read(Segments.path(1))).hasSize(header);
        assertThat(Segments.recover(disk, 1)).isEmpty();
        assertThat(LogRecovery.containsRecords(disk, Segments.DIRECTORY, 1)).isFalse();
    }

    @Test
    void aSegmentIsSealedBeforeTheNextIsBegun() throws IOException {
        WriteAheadLog log = new WriteAheadLog(8192);
        assertThat(log.isStarted()).isFalse();
        assertThat(log.fits(1)).isFalse();
        assertThatThrownBy(log::force).isInstanceOf(IllegalStateException.class);
        log.start(LogSegment.create(disk, Segments.DIRECTORY, 1, 8192));
        assertThat(log.isStarted()).isTrue();
        assertThat(log.segmentNumber()).isEqualTo(1);
        LogSegment next = LogSegment.create(disk, Segments.DIRECTORY, 2, 8192);
        assertThatThrownBy(() -> log.start(next)).isInstanceOf(IllegalStateException.class);
        log.seal(2);
        log.start(next);
        log.close();
        assertThat(disk.openFiles()).isZero();
    }

    /** A record larger than the buffer is written in parts, which are not durable. */
    @Test
    void aGroupThatIsDurableIsNotForcedAndTheNextOneIs() throws IOException {
        LogSegment segment = LogSegment.create(disk, Segments.DIRECTORY, 1, 8192);
        DurableWrites file = new DurableWrites(segment.file());
        WriteAheadLog log = new WriteAheadLog(1024);
        log.start(new LogSegment(1, segment.mark(), segment.bytes(), file));
        Segments.appendGroup(log, List.of(entry(1)));
        assertThat(file.forces).isZero();
        Segments.appendGroup(log, List.of(entry(2, 2000)));
        assertThat(file.forces).isEqualTo(1);
        Segments.append(log, List.of(entry(3)), false);
        log.force();
        assertThat(file.forces).isEqualTo(2);
        Segments.appendGroup(log, List.of(entry(4)));
        log.seal(2);
        assertThat(file.forces).isEqualTo(3);
    }

    private static final class DurableWrites implements WritableFile {

        private final WritableFile file;
        private int forces;

        DurableWrites(WritableFile file) {
            this.file = file;
        }

        @Override
        public void write(ByteBuffer bytes, long offset) throws IOException {
            file.write(bytes, offset);
        }

        @Override
        public boolean writeDurably(ByteBuffer bytes, long offset) throws IOException {
            write(bytes, offset);
            return true;
        }

        @Override
        public void force() {
            forces++;
        }

        @Override
        public long size() throws IOException {
            return file.size();
        }

        @Override
        public void truncate(long size) throws IOException {
            file.truncate(size);
        }

        @Override
        public void close() throws IOException {
            file.close();
        }
    }

    /** Records are durable after the fsync, and not before. */
    @Test
    void anOpenGroupIsClosedByTheFsync() throws IOException {
        WriteAheadLog log = Segments.start(disk, 1, 8192);
        assertThat(log.hasOpenGroup()).isFalse();
        Segments.append(log, List.of(entry(1)), false);
        Segments.append(log, List.of(entry(2)), false);
        assertThat(log.hasOpenGroup()).isTrue();
        log.force();
        assertThat(log.hasOpenGroup()).isFalse();
        Segments.appendGroup(log, List.of(entry(3)));
        assertThat(Segments.recover(disk, 1)).containsExactly(entry(1), entry(2), entry(3));
    }
}
