package dev.quorate.storage.sstable;

import static dev.quorate.storage.sstable.Tables.DIRECTORY;
import static dev.quorate.storage.sstable.Tables.bytes;
import static dev.quorate.storage.sstable.Tables.drain;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.quorate.storage.Compression;
import dev.quorate.storage.CorruptionException;
import dev.quorate.storage.Entry;
import dev.quorate.storage.StorageOptions;
import dev.quorate.storage.Timestamp;
import dev.quorate.storage.format.FileNames;
import dev.quorate.storage.io.MemoryFiles;
import dev.quorate.storage.sstable.file.TableFormat;
import dev.quorate.storage.sstable.index.IndexBlock;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.NavigableMap;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** Blocks compressed with LZ4: correct results, and detected damage. */
class CompressedTableTest {

    private static final long NUMBER = 0x77;
    private static final Path PATH = DIRECTORY.resolve(FileNames.table(NUMBER));
    private static final StorageOptions OPTIONS =
            StorageOptions.defaults().withBlockBytes(512).withCompression(Compression.LZ4);

    private final MemoryFiles files = new MemoryFiles();

    private static List<Entry> compressible() {
        List<Entry> entries = new ArrayList<>();
        entries.add(Entry.expiring(bytes("a"), stamp(1), bytes("so".repeat(40)), 3, 1L << 40));
        for (int i = 100; i < 300; i++) {
            byte[] key = bytes("user:" + i);
            entries.add(
                    i % 9 == 0
                            ? Entry.tombstone(key, stamp(i), 3)
                            : Entry.value(key, stamp(i), bytes("a value of " + i + ".   "), 3));
        }
        entries.add(Entry.value(bytes("wide"), stamp(2), new byte[20_000], 1));
        return entries;
    }

    private static Timestamp stamp(int counter) {
        return Timestamp.of(1_750_000_000_000L, counter, 2);
    }

    private static SSTable open(MemoryFiles files, TableMetadata metadata) {
        return SSTable.open(files, DIRECTORY, metadata);
    }

    /** The kinds of the table's data blocks. */
    private static Set<Integer> kinds(SSTable table, byte[] file) {
        Set<Integer> kinds = new TreeSet<>();
        for (int i = 0; i < table.reader().root().count(); i++) {
            IndexBlock part = table.reader().part(i);
            for (int slot = 0; slot < part.count(); slot++) {
                long end = part.targetOffset(slot) + part.targetLength(slot);
                kinds.add((int) file[(int) end - TableFormat.TRAILER_BYTES]);
            }
        }
        return kinds;
    }

    private static void requireReadable(SSTable table, List<Entry> expected) {
        assertThat(drain(table.scan(new byte[0], null))).isEqualTo(expected);
        assertThat(drain(table.scanDescending(new byte[0], null))).isEqualTo(expected.reversed());
        for (Entry entry : expected) {
            assertThat(table.find(entry.key(), SSTable.hash(entry.key()))).isEqualTo(entry);
        }
        byte[] absent = bytes("absent: in no table");
        assertThat(table.find(absent, SSTable.hash(absent))).isNull();
        table.verify();
    }

    @Test
    void compressibleBlocksTakeLessSpaceAndReadTheSame() {
        List<Entry> entries = compressible();
        TableMetadata plain =
                Tables.write(files, 1, 0, OPTIONS.withCompression(Compression.NONE), entries);
        TableMetadata small = Tables.write(files, NUMBER, 0, OPTIONS, entries);
        assertThat(small.fileBytes()).isLessThan(plain.fileBytes() / 2);
        SSTable table = open(files, small);
        assertThat(kinds(table, files.read(PATH))).contains(1);
        requireReadable(table, entries);
    }

    @Test
    void incompressibleBlocksAreStoredUncompressed() {
        Random random = new Random(Tables.seed("whatDoesNotCompressIsStoredAsItIs"));
        NavigableMap<byte[], Entry> model = Tables.randomModel(random, 800);
        for (Entry entry : compressible()) {
            Tables.put(model, entry);
        }
        byte[] large = new byte[50_000];
        Tables.put(model, Entry.value(bytes("large"), stamp(3), large, 1));
        List<Entry> entries = List.copyOf(model.values());
        SSTable table = open(files, Tables.write(files, NUMBER, 0, OPTIONS, entries));
        assertThat(kinds(table, files.read(PATH))).containsExactly(0, 1);
        requireReadable(table, entries);
    }

    @Test
    void everyFlippedBitOfACompressedTableIsDetected() {
        List<Entry> entries = compressible().subList(0, 60);
        TableMetadata metadata = Tables.write(files, NUMBER, 0, OPTIONS, entries);
        byte[] whole = files.read(PATH);
        Random random = new Random(4);
        for (int at = 0; at < whole.length; at++) {
            byte[] damaged = whole.clone();
            damaged[at] ^= (byte) (1 << random.nextInt(8));
            files.replace(PATH, damaged);
            assertThatThrownBy(
                            () -> {
                                SSTable table = open(files, metadata);
                                try {
                                    table.verify();
                                } finally {
                                    table.release();
                                }
                            })
                    .isInstanceOf(CorruptionException.class);
        }
        assertThat(files.openFiles()).isZero();
    }

    /** A maliciously sealed block: its length must not be trusted. */
    @Test
    void aFalseLengthIsRejectedBeforeAnAllocation() {
        TableMetadata metadata = Tables.write(files, NUMBER, 0, OPTIONS, compressible());
        byte[] whole = files.read(PATH);
        SSTable intact = open(files, metadata);
        IndexBlock part = intact.reader().part(0);
        int offset = (int) part.targetOffset(1);
        int length = part.targetLength(1);
        int rawBytes = (int) TableFormat.ARRAY_INT.get(whole, offset);
        for (int claimed :
                new int[] {
                    0,
                    8,
                    -1,
                    Integer.MIN_VALUE,
                    Integer.MAX_VALUE,
                    rawBytes - 1,
                    rawBytes + 1,
                    TableFormat.MAX_SHARED_BLOCK_BYTES,
                    TableFormat.MAX_SHARED_BLOCK_BYTES + 1
                }) {
            byte[] damaged = whole.clone();
            TableFormat.ARRAY_INT.set(damaged, offset, claimed);
            Tables.reseal(damaged, offset, length, NUMBER);
            files.replace(PATH, damaged);
            assertThatThrownBy(() -> drain(open(files, metadata).scan(new byte[0], null)))
                    .isInstanceOfSatisfying(
                            CorruptionException.class,
                            corrupt -> {
                                assertThat(corrupt.file()).isEqualTo(FileNames.table(NUMBER));
                                assertThat(corrupt.offset()).isEqualTo(offset);
                            });
        }
    }

    @Test
    void malformedBlocksWithValidChecksumsAreRejected() {
        Random random = new Random(Tables.seed("nonsenseUnderAValidChecksum"));
        TableMetadata metadata = Tables.write(files, NUMBER, 0, OPTIONS, compressible());
        byte[] whole = files.read(PATH);
        IndexBlock part = open(files, metadata).reader().part(0);
        int corrupt = 0;
        for (int round = 0; round < 5000; round++) {
            int slot = random.nextInt(part.count());
            int offset = (int) part.targetOffset(slot);
            int length = part.targetLength(slot);
            byte[] damaged = whole.clone();
            for (int change = random.nextInt(4); change >= 0; change--) {
                damaged[offset + random.nextInt(length - 4)] = (byte) random.nextInt();
            }
            Tables.reseal(damaged, offset, length, NUMBER);
            files.replace(PATH, damaged);
            SSTable table = open(files, metadata);
            try {
                drain(table.scan(new byte[0], null));
            } catch (CorruptionException honest) {
                corrupt++;
            }
            table.release();
        }
        assertThat(corrupt).isGreaterThan(2500);
    }

    /**
     * A table of the first release with compression. Only reading is pinned: another version of the
     * library may compress the same entries to other bytes.
     */
    @Test
    void theGoldenTableIsReadable() throws IOException {
        byte[] golden;
        try (InputStream in = getClass().getResourceAsStream("sstable-1-lz4.golden")) {
            assertThat(in).isNotNull();
            golden = in.readAllBytes();
        }
        List<Entry> entries = compressible();
        TableMetadata written = Tables.write(files, NUMBER, 1, OPTIONS, entries);
        TableMetadata metadata =
                new TableMetadata(
                        NUMBER,
                        1,
                        golden.length,
                        entries.size(),
                        written.tombstones(),
                        written.smallestKey(),
                        written.largestKey(),
                        written.oldest(),
                        written.newest());
        files.replace(PATH, golden);
        SSTable table = open(files, metadata);
        assertThat(kinds(table, golden)).contains(1);
        requireReadable(table, entries);
    }
}
