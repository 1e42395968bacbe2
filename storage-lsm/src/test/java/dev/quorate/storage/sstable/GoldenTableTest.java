package dev.quorate.storage.sstable;

import static dev.quorate.storage.sstable.Tables.DIRECTORY;
import static dev.quorate.storage.sstable.Tables.bytes;
import static dev.quorate.storage.sstable.Tables.drain;
import static org.assertj.core.api.Assertions.assertThat;

import dev.quorate.storage.Entry;
import dev.quorate.storage.StorageOptions;
import dev.quorate.storage.Timestamp;
import dev.quorate.storage.format.FileNames;
import dev.quorate.storage.io.MemoryFiles;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * A table of the first release. It must remain readable forever, and while the format version is 1,
 * the same entries must produce the same bytes.
 */
class GoldenTableTest {

    private static final long NUMBER = 0x1234;
    private static final Path PATH = DIRECTORY.resolve(FileNames.table(NUMBER));

    private final MemoryFiles files = new MemoryFiles();

    /** Covers all flags, shared prefixes, restarts, parts and a large value. */
    private static List<Entry> entries() {
        List<Entry> entries = new ArrayList<>();
        entries.add(Entry.value(new byte[] {0}, Timestamp.ZERO, new byte[0], 0));
        entries.add(Entry.tombstone(new byte[] {0, 0}, new Timestamp(-1, -1), 255));
        entries.add(
                Entry.expiring(bytes("expires"), stamp(7), bytes("soon"), 3, 1_800_000_000_000L));
        for (int i = 100; i < 400; i++) {
            byte[] key = bytes("key:" + i);
            entries.add(
                    i % 7 == 0
                            ? Entry.tombstone(key, stamp(i), 3)
                            : Entry.value(key, stamp(i), bytes("value " + i), 3));
        }
        byte[] large = new byte[17_000];
        for (int i = 0; i < large.length; i++) {
            large[i] = (byte) (i / 100);
        }
        entries.add(Entry.value(bytes("large"), stamp(8), large, 2));
        entries.add(Entry.value(new byte[] {-1}, stamp(9), bytes("last"), 1));
        return entries;
    }

    private static Timestamp stamp(int counter) {
        return Timestamp.of(1_750_000_000_000L, counter, 2);
    }

    /** Some with a step, and with all that an entry can have beside it. */
    private static List<Entry> entriesWithSteps() {
        List<Entry> entries = new ArrayList<>();
        for (int i = 100; i < 140; i++) {
            byte[] key = bytes("key:" + i);
            Timestamp timestamp =
                    i % 3 == 0 ? stamp(i) : stamp(i).withStep(stamp(500 - i).hybrid());
            entries.add(
                    switch (i % 5) {
                        case 0 -> Entry.tombstone(key, timestamp, 3);
                        case 1 ->
                                Entry.expiring(
                                        key, timestamp, bytes("soon"), 3, 1_800_000_000_000L);
                        default -> Entry.value(key, timestamp, bytes("value " + i), 3);
                    });
        }
        byte[] large = new byte[17_000];
        Arrays.fill(large, (byte) 7);
        entries.add(Entry.value(bytes("large"), stamp(99).withStep(-1), large, 2));
        entries.add(Entry.tombstone(new byte[] {-1}, stamp(200).withStep(-1), 255));
        return entries;
    }

    /** With a content type, and with all that an entry can have beside it. */
    private static List<Entry> entriesWithContentTypes() {
        List<Entry> entries = new ArrayList<>();
        for (int i = 100; i < 140; i++) {
            byte[] key = bytes("key:" + i);
            Timestamp timestamp = i % 4 == 0 ? stamp(i).withStep(stamp(500).hybrid()) : stamp(i);
            Entry entry =
                    i % 5 == 0
                            ? Entry.expiring(key, timestamp, bytes("soon"), 3, 1_800_000_000_000L)
                            : Entry.value(key, timestamp, bytes("value " + i), 3);
            entries.add(i % 3 == 0 ? entry : entry.withContentType("text/plain;n=" + i));
        }
        byte[] large = new byte[17_000];
        Arrays.fill(large, (byte) 7);
        entries.add(
                Entry.value(bytes("large"), stamp(99), large, 2).withContentType("x".repeat(255)));
        return entries;
    }

    private static byte[] golden() throws IOException {
        return golden("sstable-1.golden");
    }

    private static byte[] golden(String name) throws IOException {
        try (InputStream in = GoldenTableTest.class.getResourceAsStream(name)) {
            assertThat(in).isNotNull();
            return in.readAllBytes();
        }
    }

    @Test
    void entriesWithStepsGiveTheSameBytesAndAreReadable() throws IOException {
        StorageOptions options = StorageOptions.defaults().withBlockBytes(512);
        TableMetadata metadata = Tables.write(files, NUMBER, 1, options, entriesWithSteps());
        assertThat(files.read(PATH)).isEqualTo(golden("sstable-1-step.golden"));
        assertThat(metadata.oldest()).isEqualTo(stamp(99));
        assertThat(metadata.newest()).isEqualTo(new Timestamp(-1, 2));
        SSTable table = SSTable.open(files, DIRECTORY, metadata);
        assertThat(drain(table.scan(new byte[0], null))).isEqualTo(entriesWithSteps());
        for (Entry entry : entriesWithSteps()) {
            assertThat(table.find(entry.key(), SSTable.hash(entry.key()))).isEqualTo(entry);
        }
        table.verify();
    }

    @Test
    void entriesWithContentTypesGiveTheSameBytesAndAreReadable() throws IOException {
        StorageOptions options = StorageOptions.defaults().withBlockBytes(512);
        TableMetadata metadata = Tables.write(files, NUMBER, 1, options, entriesWithContentTypes());
        assertThat(files.read(PATH)).isEqualTo(golden("sstable-1-type.golden"));
        SSTable table = SSTable.open(files, DIRECTORY, metadata);
        assertThat(drain(table.scan(new byte[0], null))).isEqualTo(entriesWithContentTypes());
        for (Entry entry : entriesWithContentTypes()) {
            assertThat(table.find(entry.key(), SSTable.hash(entry.key()))).isEqualTo(entry);
        }
        table.verify();
    }

    @Test
    void theSameEntriesGiveTheSameBytes() throws IOException {
        StorageOptions options = StorageOptions.defaults().withBlockBytes(512);
        Tables.write(files, NUMBER, 1, options, entries());
        assertThat(files.read(PATH)).isEqualTo(golden());
    }

    @Test
    void theGoldenTableIsReadable() throws IOException {
        byte[] golden = golden();
        files.replace(PATH, golden);
        TableMetadata metadata =
                new TableMetadata(
                        NUMBER,
                        1,
                        golden.length,
                        305,
                        44,
                        new byte[] {0},
                        new byte[] {-1},
                        Timestamp.ZERO,
                        new Timestamp(-1, -1));
        SSTable table = SSTable.open(files, DIRECTORY, metadata);
        assertThat(drain(table.scan(new byte[0], null))).isEqualTo(entries());
        for (Entry entry : entries()) {
            assertThat(table.find(entry.key(), SSTable.hash(entry.key()))).isEqualTo(entry);
        }
        table.verify();
    }
}
