package dev.quorate.storage.wal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.quorate.storage.CorruptionException;
import dev.quorate.storage.Entry;
import dev.quorate.storage.StorageException;
import dev.quorate.storage.Timestamp;
import dev.quorate.storage.format.Crc32c;
import dev.quorate.storage.simulated.FaultyDisk;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Log segments of each format version. They must remain readable forever, and while the version is
 * 2, the same writes must produce the same bytes.
 */
class GoldenLogTest {

    private static final long NUMBER = 0x1234;
    private static final int BYTES = 4096;

    private final FaultyDisk disk = new FaultyDisk();

    private static byte[] text(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    /** Groups of one entry and of several; entries of every kind. */
    private static List<List<Entry>> groups() {
        Timestamp stamp = Timestamp.of(1_750_000_000_000L, 7, 2);
        byte[] long300 = new byte[300];
        for (int i = 0; i < long300.length; i++) {
            long300[i] = (byte) i;
        }
        return List.of(
                List.of(Entry.value(text("alone"), stamp, text("value"), 3)),
                List.of(
                        Entry.value(new byte[] {0}, Timestamp.ZERO, new byte[0], 0),
                        Entry.tombstone(long300, new Timestamp(-1, -1), 255),
                        Entry.expiring(text("expires"), stamp, long300, 2, 1_800_000_000_000L)),
                List.of(Entry.tombstone(text("alone"), stamp, 1)));
    }

    private static byte[] golden(int version) throws IOException {
        String name = "wal-" + version + ".golden";
        try (InputStream in = GoldenLogTest.class.getResourceAsStream(name)) {
            assertThat(in).isNotNull();
            return in.readAllBytes();
        }
    }

    @Test
    void theSameWritesGiveTheSameBytes() throws IOException {
        WriteAheadLog log = Segments.start(disk, NUMBER, BYTES);
        for (List<Entry> group : groups()) {
            Segments.appendGroup(log, group);
        }
        // A group written in several parts, which ends with a mark.
        for (Entry entry : groups().get(1)) {
            Segments.append(log, List.of(entry), false);
        }
        log.force();
        log.seal(0x1235);
        assertThat(disk.read(Segments.path(NUMBER))).isEqualTo(golden(2));
    }

    @Test
    void entriesWithStepsGiveTheSameBytesAndAreReadable() throws IOException {
        Timestamp stamp = Timestamp.of(1_750_000_000_000L, 7, 2).withStep(-2);
        List<Entry> group =
                List.of(
                        Entry.value(text("alone"), stamp, text("value"), 3),
                        Entry.tombstone(new byte[] {0}, Timestamp.ZERO.withStep(1), 255),
                        Entry.expiring(text("expires"), stamp, text("v"), 2, 1_800_000_000_000L));
        assertGolden("wal-2-step.golden", group);
    }

    @Test
    void entriesWithContentTypesGiveTheSameBytesAndAreReadable() throws IOException {
        Timestamp stamp = Timestamp.of(1_750_000_000_000L, 7, 2);
        assertGolden(
                "wal-2-type.golden",
                List.of(
                        Entry.value(text("alone"), stamp, text("value"), 3)
                                .withContentType("text/plain"),
                        Entry.expiring(
                                        text("expires"),
                                        stamp.withStep(-2),
                                        text("v"),
                                        2,
                                        1_800_000_000_000L)
                                .withContentType("x".repeat(255))));
    }

    private void assertGolden(String name, List<Entry> group) throws IOException {
        WriteAheadLog log = Segments.start(disk, NUMBER, 1024);
        Segments.appendGroup(log, group);
        log.seal(0x1235);
        byte[] golden;
        try (InputStream in = GoldenLogTest.class.getResourceAsStream(name)) {
            assertThat(in).isNotNull();
            golden = in.readAllBytes();
        }
        assertThat(disk.read(Segments.path(NUMBER))).isEqualTo(golden);
        List<Entry> entries = new ArrayList<>();
        LogRecovery.read(disk, Segments.DIRECTORY, NUMBER, entries::add);
        assertThat(entries).isEqualTo(group);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void everyVersionIsReadable(int version) throws IOException {
        disk.replace(Segments.path(NUMBER), golden(version));
        List<Entry> expected = new ArrayList<>();
        groups().forEach(expected::addAll);
        expected.addAll(groups().get(1));
        List<Entry> entries = new ArrayList<>();
        assertThat(LogRecovery.read(disk, Segments.DIRECTORY, NUMBER, entries::add))
                .isEqualTo(new SegmentReader.End(true, 0x1235, 0));
        assertThat(entries).isEqualTo(expected);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 3, Integer.MAX_VALUE, -1})
    void anUnknownVersionIsRejectedByNumber(int version) throws IOException {
        ByteBuffer bytes = ByteBuffer.wrap(golden(2));
        bytes.putInt(8, version).putInt(28, Crc32c.of(bytes, 0, 28));
        disk.replace(Segments.path(NUMBER), bytes.array());
        assertThatThrownBy(() -> Segments.recover(disk, NUMBER))
                .isInstanceOf(StorageException.Io.class)
                .hasMessageContaining("log format " + version + ", this program reads 1 and 2");
    }

    /** No checksum covers the rest of the header, so every byte of it is verified. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void everyBitOfTheHeaderIsVerified(int version) throws IOException {
        for (int bit = 0; bit < 8 * LogFormat.HEADER_BYTES; bit++) {
            byte[] flipped = golden(version);
            flipped[bit / 8] ^= (byte) (1 << bit % 8);
            disk.replace(Segments.path(NUMBER), flipped);
            assertThatThrownBy(() -> Segments.recover(disk, NUMBER))
                    .as("bit %d", bit)
                    .isInstanceOf(CorruptionException.class)
                    .hasMessageContaining("0000000000001234.log is corrupt at offset");
        }
    }
}
