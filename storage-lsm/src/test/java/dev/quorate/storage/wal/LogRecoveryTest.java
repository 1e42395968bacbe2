package dev.quorate.storage.wal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.quorate.storage.CorruptionException;
import dev.quorate.storage.Entry;
import dev.quorate.storage.EntryCursor;
import dev.quorate.storage.StorageException;
import dev.quorate.storage.Timestamp;
import dev.quorate.storage.format.Crc32c;
import dev.quorate.storage.memtable.KeyPrefixes;
import dev.quorate.storage.memtable.Memtable;
import dev.quorate.storage.memtable.MemtableMemory;
import dev.quorate.storage.simulated.FaultyDisk;
import dev.quorate.storage.sstable.SSTable;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** Recovery drops a torn tail, fails at damage before it, and distinguishes the two. */
class LogRecoveryTest {

    private static final long SEED = 20_261_121;
    private final SplittableRandom random = new SplittableRandom(SEED);
    private final FaultyDisk disk = new FaultyDisk();

    @Test
    void replaysSeveralSegments() throws IOException {
        List<Entry> written = new ArrayList<>();
        WriteAheadLog log = Segments.start(disk, 3, 8192);
        for (long next = 5; next < 20; next += 5) {
            fill(log, written, 10);
            log.seal(next);
            log.start(LogSegment.create(disk, Segments.DIRECTORY, next, 8192));
        }
        fill(log, written, 5);

        LogRecovery recovery = Segments.recovery(disk, 3);
        List<Entry> recovered = new ArrayList<>();
        while (recovery.hasNext()) {
            recovery.readNext(recovered::add);
        }
        assertThat(recovered).isEqualTo(written);
        assertThat(recovery.tornBytes()).isZero();
        assertThat(recovery.segmentsRead()).containsExactly(3L, 5L, 10L, 15L);
    }

    /** In a segment that was enlarged for a large value and then recycled. */
    @Test
    void groupsLargerThanTheBufferMayContainTombstones() throws IOException {
        WriteAheadLog log = new WriteAheadLog(8192);
        log.start(LogSegment.create(disk, Segments.DIRECTORY, 1, 100_000));
        List<Entry> written = new ArrayList<>();
        for (int i = 1; i <= 9; i++) {
            byte[] key = {(byte) i};
            Timestamp version = new Timestamp(i, 1);
            written.add(
                    i % 3 == 0
                            ? Entry.tombstone(key, version, 3)
                            : Entry.value(key, version, new byte[5_000], 3));
        }
        Segments.appendGroup(log, written);
        assertReads(disk.read(Segments.path(1)), written, null, 0);
    }

    private void fill(WriteAheadLog log, List<Entry> written, int groups) throws IOException {
        for (int i = 0; i < groups; i++) {
            List<Entry> group = Segments.randomGroup(random);
            Segments.appendGroup(log, group);
            written.addAll(group);
        }
    }

    @Test
    void theLastGroupTruncatedAtAnyByteIsIntactOrDropped() throws IOException {
        int valueBytes = 64 << 10;
        int segmentBytes = valueBytes + 8192;
        List<Entry> earlier = new ArrayList<>();
        WriteAheadLog log = Segments.start(disk, 1, segmentBytes);
        fill(log, earlier, 5);
        byte[] before = disk.read(Segments.path(1));
        Entry last = Entry.value(new byte[] {1}, Timestamp.ZERO, new byte[valueBytes], 1);
        random.nextBytes(last.value());
        Segments.appendGroup(log, List.of(last));
        byte[] after = disk.read(Segments.path(1));

        int from = Arrays.mismatch(before, after);
        int end = from + WriteAheadLog.recordBytes(last);
        byte[] torn = before.clone();
        for (int cut = from; cut < end; cut++) {
            // Bytes before the cut are new, those after it are stale. Within the value all bytes
            // are
            // alike, so an eighth of the cuts suffices.
            if (cut < from + 500 || cut > end - 500 || cut % 8 == 0) {
                assertReads(torn, earlier, null, cut);
            }
            torn[cut] = after[cut];
        }
        assertReads(torn, earlier, last, end);
    }

    private void assertReads(byte[] file, List<Entry> earlier, Entry last, int cut) {
        List<Entry> entries = new ArrayList<>();
        MemorySegment bytes = MemorySegment.ofArray(file);
        new SegmentReader(bytes, "torn", 1).read(entries::add);
        if (last != null) {
            assertThat(entries.removeLast()).isEqualTo(last);
        }
        if (!entries.equals(earlier)) {
            throw new AssertionError("cut at " + cut + ": " + entries);
        }
    }

    @Test
    void aTornGroupMayLackAnyOfItsSectors() throws IOException {
        for (int run = 0; run < 500; run++) {
            FaultyDisk one = new FaultyDisk();
            List<Entry> forced = new ArrayList<>();
            WriteAheadLog log = Segments.start(one, 1, 8192);
            fill(log, forced, random.nextInt(5));
            List<Entry> torn = new ArrayList<>();
            for (int i = 0; i < 5; i++) {
                torn.add(Segments.randomEntry(random, random.nextInt(600)));
            }
            Segments.append(log, torn, true);

            FaultyDisk after = one.afterPowerLoss(FaultyDisk.Keep.SOME, random);
            List<Entry> recovered = Segments.recover(after, 1);
            assertThat(recovered.subList(0, forced.size())).as("seed %d", SEED).isEqualTo(forced);
            List<Entry> more = recovered.subList(forced.size(), recovered.size());
            assertThat(more).isEqualTo(torn.subList(0, more.size()));
        }
    }

    @Test
    void everyFlipBeforeTheLastGroupIsDetected() throws IOException {
        List<Entry> written = new ArrayList<>();
        WriteAheadLog log = Segments.start(disk, 1, 16 << 10);
        fill(log, written, 30);
        byte[] acknowledged = disk.read(Segments.path(1));
        int end = usedBytes(acknowledged);
        fill(log, written, 1);

        int checked = LogFormat.HEADER_BYTES;
        byte[] whole = disk.read(Segments.path(1));
        for (int flip = 0; flip < 3_000; flip++) {
            int at = checked + random.nextInt(end - checked);
            byte[] flipped = whole.clone();
            flipped[at] ^= (byte) (1 << random.nextInt(8));
            disk.replace(Segments.path(1), flipped);
            assertThatThrownBy(() -> Segments.recover(disk, 1))
                    .as("seed %d, byte %d", SEED, at)
                    .isInstanceOf(CorruptionException.class)
                    .hasMessageContaining("0000000000000001.log is corrupt at offset");
        }
    }

    @Test
    void everyFlipInASealedSegmentIsDetected() throws IOException {
        List<Entry> written = new ArrayList<>();
        WriteAheadLog log = Segments.start(disk, 1, 16 << 10);
        fill(log, written, 20);
        log.seal(2);
        int end = usedBytes(disk.read(Segments.path(1)));
        log.start(LogSegment.create(disk, Segments.DIRECTORY, 2, 8192));
        fill(log, written, 1);

        byte[] whole = disk.read(Segments.path(1));
        for (int flip = 0; flip < 3_000; flip++) {
            int at = random.nextInt(end);
            if (at >= LogFormat.HEADER_BYTES || at < 32) {
                byte[] flipped = whole.clone();
                flipped[at] ^= (byte) (1 << random.nextInt(8));
                disk.replace(Segments.path(1), flipped);
                assertThatThrownBy(() -> Segments.recover(disk, 1))
                        .as("seed %d, byte %d", SEED, at)
                        .isInstanceOf(CorruptionException.class);
            }
        }
    }

    /** The documented limit of recovery. */
    @Test
    void aFlipInTheLastGroupOfAnUnsealedSegmentLooksLikeATornWrite() throws IOException {
        List<Entry> written = new ArrayList<>();
        WriteAheadLog log = Segments.start(disk, 1, 16 << 10);
        fill(log, written, 20);
        int from = usedBytes(disk.read(Segments.path(1)));
        Segments.appendGroup(log, List.of(Segments.randomEntry(random, 50)));
        byte[] bytes = disk.read(Segments.path(1));
        bytes[from + 30] ^= 1;
        disk.replace(Segments.path(1), bytes);

        LogRecovery recovery = Segments.recovery(disk, 1);
        List<Entry> recovered = new ArrayList<>();
        recovery.readNext(recovered::add);
        assertThat(recovered).isEqualTo(written);
        assertThat(recovery.tornBytes()).isPositive();
    }

    @Test
    void staleRecordsOfRecycledSegmentsAreIgnored() throws IOException {
        List<Entry> old = new ArrayList<>();
        WriteAheadLog log = Segments.start(disk, 1, 8192);
        fill(log, old, 20);
        log.seal(0);
        log.start(LogSegment.recycle(disk, Segments.DIRECTORY, 1, 7, 8192));
        assertThat(Segments.recover(disk, 7)).isEmpty();

        List<Entry> written = new ArrayList<>();
        fill(log, written, 3);
        assertThat(Segments.recover(disk, 7)).isEqualTo(written);
    }

    @Test
    void aGroupRewrittenAfterAFullDiskReplacesItsFirstAttempt() throws IOException {
        WriteAheadLog log = Segments.start(disk, 1, 8192);
        List<Entry> written = new ArrayList<>();
        fill(log, written, 2);
        int at = usedBytes(disk.read(Segments.path(1)));
        // The first attempt leaves three intact records of group 3 and then fails.
        byte[] bytes = disk.read(Segments.path(1));
        long mark = LogFormat.checkHeader(MemorySegment.ofArray(bytes), "1", 1).mark();
        ByteBuffer remains = ByteBuffer.allocate(1_000);
        for (int i = 0; i < 3; i++) {
            LogFormat.putEntry(remains, at, mark, 3, 0, Segments.randomEntry(random, 40));
        }
        System.arraycopy(remains.array(), 0, bytes, at, remains.position());
        disk.replace(Segments.path(1), bytes);
        // The second overwrites its beginning and is shorter.
        fill(log, written, 1);
        assertThat(Segments.recover(disk, 1)).isEqualTo(written);
        fill(log, written, 4);
        assertThat(Segments.recover(disk, 1)).isEqualTo(written);
    }

    @Test
    void aMissingOrForeignSegmentIsDetected() throws IOException {
        List<Entry> written = new ArrayList<>();
        WriteAheadLog log = Segments.start(disk, 1, 8192);
        for (long next = 2; next <= 4; next++) {
            fill(log, written, 5);
            log.seal(next);
            log.start(LogSegment.create(disk, Segments.DIRECTORY, next, 8192));
        }
        fill(log, written, 5);
        assertThat(Segments.recover(disk, 1)).isEqualTo(written);

        byte[] second = disk.read(Segments.path(2));
        byte[] third = disk.read(Segments.path(3));
        disk.delete(Segments.path(2));
        assertRejected("0000000000000002.log", "the file is gone");
        disk.replace(Segments.path(2), third);
        disk.replace(Segments.path(3), second);
        assertRejected("0000000000000002.log", "segment 2 expected, found 3");
        disk.replace(Segments.path(2), Arrays.copyOf(second, 600));
        disk.replace(Segments.path(3), third);
        assertRejected("it holds records, but the log ends before it");
        disk.replace(Segments.path(2), new byte[0]);
        assertRejected("0000000000000002.log", "header of 512 bytes expected");
        disk.replace(Segments.path(2), second);
        assertThat(Segments.recover(disk, 1)).isEqualTo(written);
    }

    private void assertRejected(String... parts) {
        assertThatThrownBy(() -> Segments.recover(disk, 1))
                .isInstanceOf(CorruptionException.class)
                .hasMessageContainingAll(parts);
    }

    @Test
    void anUnknownFormatIsRejectedByNumber() throws IOException {
        Segments.start(disk, 1, 8192).close();
        ByteBuffer bytes = ByteBuffer.wrap(disk.read(Segments.path(1)));
        bytes.putInt(8, 3);
        bytes.putInt(28, Crc32c.of(bytes, 0, 28));
        disk.replace(Segments.path(1), bytes.array());
        assertThatThrownBy(() -> Segments.recover(disk, 1))
                .isInstanceOf(StorageException.Io.class)
                .hasMessage("0000000000000001.log has log format 3, this program reads 1 and 2");
    }

    /**
     * Clients choose values. Stale values after the end of a recycled segment must not pass for
     * records, even if they imitate them.
     */
    @Test
    void valuesThatImitateRecordsDoNotPreventAnOpening() throws IOException {
        int segmentBytes = 512 << 10;
        WriteAheadLog log = Segments.start(disk, 1, segmentBytes);
        byte[] forged = forgedHeads(300 << 10, 1, 50, 100 << 10);
        Entry trap = Entry.value(new byte[] {1}, Timestamp.ZERO, forged, 1);
        Segments.appendGroup(log, List.of(trap));
        log.seal(0);
        log.start(LogSegment.recycle(disk, Segments.DIRECTORY, 1, 7, segmentBytes));
        assertThat(Segments.recover(disk, 7)).isEmpty();

        List<Entry> written = new ArrayList<>();
        fill(log, written, 3);
        assertThat(Segments.recover(disk, 7)).isEqualTo(written);

        // A segment that was prepared but contains no record.
        log.seal(0);
        LogSegment.recycle(disk, Segments.DIRECTORY, 7, 9, segmentBytes).file().close();
        assertThat(LogRecovery.containsRecords(disk, Segments.DIRECTORY, 9)).isFalse();
        log.start(LogSegment.create(disk, Segments.DIRECTORY, 10, segmentBytes));
        fill(log, written, 1);
        assertThat(LogRecovery.containsRecords(disk, Segments.DIRECTORY, 10)).isTrue();
    }

    /** The same for a torn value, in its own segment. */
    @Test
    void aTornValueThatImitatesRecordsIsDropped() throws IOException {
        int valueBytes = 256 << 10;
        WriteAheadLog log = Segments.start(disk, 1, valueBytes + 8192);
        List<Entry> written = new ArrayList<>();
        fill(log, written, 2);
        int at = usedBytes(disk.read(Segments.path(1)));
        byte[] forged = forgedHeads(valueBytes, 1, 1, valueBytes / 2);
        Entry trap = Entry.value(new byte[] {1}, Timestamp.ZERO, forged, 1);
        Segments.appendGroup(log, List.of(trap));
        assertThat(Segments.recover(disk, 1)).hasSize(written.size() + 1);
        byte[] bytes = disk.read(Segments.path(1));
        bytes[at] ^= 1;
        disk.replace(Segments.path(1), bytes);
        assertThat(Segments.recover(disk, 1)).isEqualTo(written);
    }

    /** Imitated record headers of group 99 in the segments {@code from} to {@code to}. */
    private static byte[] forgedHeads(int bytes, long from, long to, int length) {
        ByteBuffer forged = ByteBuffer.allocate(bytes);
        for (long segment = from; forged.remaining() >= LogFormat.RECORD_BYTES; segment++) {
            forged.putInt(0).putInt(length).putLong(segment).putInt(99).put((byte) 1);
            segment = segment == to ? from - 1 : segment;
        }
        return forged.array();
    }

    /** Version 1: clients can know the segment number, which is in the place of the mark. */
    @Test
    void theSearchInASegmentWithoutAMarkIsBounded() throws IOException {
        disk.replace(Segments.path(7), unmarked(10));
        LogRecovery recovery = Segments.recovery(disk, 7);
        recovery.readNext(entry -> {});
        assertThat(recovery.hasNext()).isFalse();
        assertThat(recovery.tornBytes()).isPositive();

        disk.replace(Segments.path(7), unmarked(100));
        assertThatThrownBy(() -> Segments.recover(disk, 7))
                .isInstanceOf(CorruptionException.class)
                .hasMessageContaining("too much looks like records");
    }

    /** A segment of version 1 with {@code forged} imitated records, each half as long. */
    private static byte[] unmarked(int forged) {
        ByteBuffer file = ByteBuffer.allocate(64 << 10).put(LogFormat.header(7, 0));
        file.putInt(8, 1).putInt(20, Crc32c.of(file, 0, 20)).putInt(24, 0).putInt(28, 0);
        file.position(1_000).put(forgedHeads(forged * LogFormat.RECORD_BYTES, 7, 7, 32 << 10));
        return file.array();
    }

    @Test
    void theOrderOfReplayDoesNotMatter() throws IOException {
        WriteAheadLog log = Segments.start(disk, 1, 64 << 10);
        for (int i = 0; i < 300; i++) {
            byte[] key = {(byte) random.nextInt(20)};
            Timestamp timestamp = new Timestamp(random.nextInt(50), random.nextInt(3));
            Entry entry =
                    random.nextInt(4) == 0
                            ? Entry.tombstone(key, timestamp, 3)
                            : Entry.value(key, timestamp, new byte[] {(byte) i}, 3);
            Segments.appendGroup(log, List.of(entry));
        }
        List<Entry> recovered = Segments.recover(disk, 1);
        assertThat(recovered).hasSize(300);
        List<Entry> expected = contents(recovered);
        for (int run = 0; run < 100; run++) {
            Collections.shuffle(recovered, new Random(SEED + run));
            assertThat(contents(recovered)).as("seed %d", SEED + run).isEqualTo(expected);
        }
    }

    private static List<Entry> contents(List<Entry> inOrder) {
        Memtable memtable =
                new Memtable(
                        new MemtableMemory(MemtableMemory.Allocator.SYSTEM),
                        KeyPrefixes.UNKNOWN,
                        0);
        inOrder.forEach(entry -> memtable.put(entry, SSTable.hash(entry.key())));
        List<Entry> contents = new ArrayList<>();
        try (EntryCursor cursor = memtable.scan(new byte[0], null)) {
            while (cursor.next()) {
                contents.add(cursor.entry());
            }
        }
        return contents;
    }

    /** The end of the records: after the last byte that is not zero. */
    private static int usedBytes(byte[] file) {
        int end = file.length;
        while (file[end - 1] == 0) {
            end--;
        }
        return end;
    }
}
