package dev.quorate.storage.sstable;

import static dev.quorate.storage.sstable.Tables.DIRECTORY;
import static dev.quorate.storage.sstable.Tables.bytes;
import static dev.quorate.storage.sstable.Tables.drain;
import static dev.quorate.storage.sstable.Tables.tombstone;
import static dev.quorate.storage.sstable.Tables.value;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.quorate.storage.CorruptionException;
import dev.quorate.storage.Entry;
import dev.quorate.storage.EntryCursor;
import dev.quorate.storage.Lookup;
import dev.quorate.storage.StorageOptions;
import dev.quorate.storage.Timestamp;
import dev.quorate.storage.format.FileNames;
import dev.quorate.storage.io.MemoryFiles;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.NavigableMap;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** A table returns the entries written to it, by key and by range. */
class SSTableTest {

    private static final StorageOptions OPTIONS = StorageOptions.defaults().withBlockBytes(512);

    private final MemoryFiles files = new MemoryFiles();

    private SSTable table(Iterable<Entry> entries) {
        return table(OPTIONS, entries);
    }

    private SSTable table(StorageOptions options, Iterable<Entry> entries) {
        return SSTable.open(files, DIRECTORY, Tables.write(files, 7, 0, options, entries));
    }

    private static @Nullable Entry find(SSTable table, byte[] key) {
        return table.find(key, SSTable.hash(key));
    }

    @Test
    void aSmallTableHasTheMetadataOfItsEntries() {
        SSTable table =
                table(List.of(value("ant", 5, "a"), tombstone("bee", 9), value("cat", 2, "")));

        assertThat(find(table, bytes("ant"))).isEqualTo(value("ant", 5, "a"));
        assertThat(find(table, bytes("bee"))).isEqualTo(tombstone("bee", 9));
        assertThat(find(table, bytes("cat"))).isEqualTo(value("cat", 2, ""));
        assertThat(find(table, bytes("bat"))).isNull();
        assertThat(find(table, bytes("ca"))).isNull();
        assertThat(find(table, bytes("cats"))).isNull();
        TableMetadata metadata = table.metadata();
        assertThat(metadata.entries()).isEqualTo(3);
        assertThat(metadata.tombstones()).isEqualTo(1);
        assertThat(metadata.smallestKey()).isEqualTo(bytes("ant"));
        assertThat(metadata.largestKey()).isEqualTo(bytes("cat"));
        assertThat(metadata.oldest()).isEqualTo(new Timestamp(2, 1));
        assertThat(metadata.newest()).isEqualTo(new Timestamp(9, 1));
        table.verify();
        table.release();
        assertThat(files.openFiles()).isZero();
    }

    @Test
    void everyTableMatchesItsModel() {
        Random random = new Random(Tables.seed("everyTableMatchesItsModel"));
        for (int round = 0; round < 60; round++) {
            NavigableMap<byte[], Entry> model = Tables.randomModel(random, 1 + random.nextInt(400));
            int blockBytes = 256 << random.nextInt(8);
            StorageOptions options = OPTIONS.withBlockBytes(blockBytes);
            SSTable table = table(options, model.values());
            for (Entry entry : model.values()) {
                assertThat(find(table, entry.key())).isEqualTo(entry);
            }
            for (int i = 0; i < 200; i++) {
                byte[] key = Tables.randomKey(random);
                assertThat(find(table, key)).isEqualTo(model.get(key));
                byte @Nullable [] end = random.nextBoolean() ? null : Tables.randomKey(random);
                if (i % 10 == 0) {
                    List<Entry> range = Tables.range(model, key, end);
                    assertThat(drain(table.scan(key, end))).isEqualTo(range);
                    assertThat(drain(table.scanDescending(key, end))).isEqualTo(range.reversed());
                    assertThat(table.bytesBetween(key, end))
                            .isGreaterThanOrEqualTo(
                                    range.stream().mapToLong(Entry::valueBytes).sum());
                }
            }
            assertThat(drain(table.scan(new byte[0], null)))
                    .containsExactlyElementsOf(model.values());
            assertThat(drain(table.scanDescending(new byte[0], null)))
                    .containsExactlyElementsOf(model.descendingMap().values());
            table.verify();
            table.markObsolete();
            table.release();
        }
        assertThat(files.openFiles()).isZero();
        assertThat(files.list(DIRECTORY)).isEmpty();
    }

    @Test
    void theLongestKeysAndLargeValuesFit() {
        byte[] longest = new byte[Entry.MAX_KEY_BYTES];
        byte[] longestToo = longest.clone();
        longestToo[longest.length - 1] = 1;
        Timestamp timestamp = new Timestamp(1, 1);
        byte[] large = new byte[3 << 20];
        new Random(1).nextBytes(large);
        List<Entry> entries =
                List.of(
                        Entry.value(longest, timestamp, large, 1),
                        Entry.expiring(longestToo, timestamp, large, 1, 5),
                        Entry.tombstone(bytes("t"), timestamp, 1),
                        Entry.value(bytes("u"), timestamp, large, 1),
                        Entry.value(bytes("v"), timestamp, new byte[0], 1));
        SSTable table = table(entries);
        for (Entry entry : entries) {
            assertThat(find(table, entry.key())).isEqualTo(entry);
        }
        assertThat(find(table, bytes("u1"))).isNull();
        assertThat(drain(table.scan(new byte[0], null))).isEqualTo(entries);
        assertThat(drain(table.scanDescending(new byte[0], null))).isEqualTo(entries.reversed());
        table.verify();
    }

    @Test
    void theSizeOfARangeIsExactToTheBlock() {
        List<Entry> entries = new ArrayList<>();
        for (int i = 1_000; i < 9_000; i++) {
            entries.add(value("key" + i, 1, "x".repeat(100)));
        }
        SSTable table = table(entries);
        long all = table.bytesBetween(new byte[0], null);
        long one = all / entries.size();
        int block = OPTIONS.blockBytes();
        assertThat(one).isBetween(100L, 150L);
        assertThat(table.bytesBetween(bytes("key2000"), bytes("key3000")))
                .isBetween(1_000 * one - block, 1_000 * one + 2L * block);
        assertThat(table.bytesBetween(bytes("key8000"), null))
                .isBetween(1_000 * one - block, 1_000 * one + 2L * block);
        assertThat(table.bytesBetween(bytes("a"), bytes("key2")))
                .isBetween(1_000 * one - block, 1_000 * one + 2L * block);
        assertThat(table.bytesBetween(bytes("key5000"), bytes("key5001")))
                .isBetween(one, 2L * block);
        assertThat(table.bytesBetween(bytes("a"), bytes("b"))).isZero();
        assertThat(table.bytesBetween(bytes("kez"), null)).isZero();
    }

    @Test
    void keysMustAscend() {
        TableWriter writer = new TableWriter(files, DIRECTORY, 1, 0, OPTIONS);
        writer.add(value("b", 1, ""));
        assertThatThrownBy(() -> writer.add(value("b", 2, "")))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> writer.add(value("a", 2, "")))
                .isInstanceOf(IllegalArgumentException.class);
        writer.abandon();
        assertThat(files.list(DIRECTORY)).isEmpty();
        assertThat(files.openFiles()).isZero();
    }

    @Test
    void resultsAreTheSameWithoutAFilter() {
        StorageOptions options = noFilter();
        List<Entry> entries = new ArrayList<>();
        for (int i = 100; i < 1000; i += 2) {
            entries.add(value("" + i, i, "v"));
        }
        SSTable table = table(options, entries);
        for (int i = 100; i < 1000; i++) {
            assertThat(find(table, bytes("" + i)) != null).isEqualTo(i % 2 == 0);
        }
        table.verify();
    }

    private static StorageOptions noFilter() {
        StorageOptions options = OPTIONS;
        return new StorageOptions(
                options.memtableBytes(),
                options.segmentBytes(),
                options.blockBytes(),
                0,
                options.maxQueuedBytes(),
                options.durability(),
                options.asyncWindowMillis(),
                options.reservedDiskBytes(),
                options.compression(),
                0,
                0);
    }

    @Test
    void residentLookUpsDoNotWaitForTheDisk() {
        List<Entry> entries = new ArrayList<>();
        for (int i = 1000; i < 2000; i++) {
            entries.add(value("" + i, i, "some value"));
        }
        SSTable table = table(entries);
        byte[] key = bytes("1500");
        long hash = SSTable.hash(key);
        files.setResident(offset -> false);
        assertThat(table.find(key, hash, true)).isEqualTo(Lookup.NotResident.NOT_RESIDENT);
        assertThat(table.find(bytes("3"), 0, true)).isEqualTo(Lookup.Absent.ABSENT);
        files.setResident(offset -> offset >= table.reader().dataEnd());
        assertThat(table.find(key, hash, true)).isEqualTo(Lookup.NotResident.NOT_RESIDENT);
        files.setResident(offset -> true);
        assertThat(table.find(key, hash, true))
                .isEqualTo(new Lookup.Found(value("1500", 1500, "some value")));
        // A page recorded as resident counts as resident until forgetResidency.
        files.setResident(offset -> false);
        assertThat(table.find(key, hash, true)).isInstanceOf(Lookup.Found.class);
        table.forgetResidency();
        assertThat(table.find(key, hash, true)).isEqualTo(Lookup.NotResident.NOT_RESIDENT);
        files.setResident(offset -> true);
        assertThat(table.find(bytes("1500x"), SSTable.hash(bytes("1500x")), true))
                .isEqualTo(Lookup.Absent.ABSENT);
    }

    @Test
    void aCursorOutlivesTheOwnersReference() {
        SSTable table = table(List.of(value("a", 1, "1"), value("b", 1, "2")));
        EntryCursor cursor = table.scan(bytes("a"), null);
        table.markObsolete();
        table.release();
        assertThat(files.list(DIRECTORY)).hasSize(1);
        assertThat(drain(cursor)).hasSize(2);
        assertThat(files.list(DIRECTORY)).isEmpty();
        assertThat(files.openFiles()).isZero();
        assertThat(table.tryRetain()).isFalse();
        assertThatThrownBy(() -> table.scan(bytes("a"), null))
                .isInstanceOf(IllegalStateException.class);
        cursor.close();
        assertThatThrownBy(table::release).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void aCursorWithoutACurrentEntryThrows() {
        SSTable table = table(List.of(value("a", 1, "1")));
        try (EntryCursor cursor = table.scan(bytes("a"), null)) {
            assertThatThrownBy(cursor::entry).isInstanceOf(IllegalStateException.class);
            assertThat(cursor.next()).isTrue();
            assertThat(cursor.entry()).isSameAs(cursor.entry());
            assertThat(cursor.next()).isFalse();
            assertThatThrownBy(cursor::entry).isInstanceOf(IllegalStateException.class);
            assertThat(cursor.next()).isFalse();
        }
    }

    @Test
    void aMissingTableIsCorruption() throws IOException {
        TableMetadata metadata = Tables.write(files, 3, 0, OPTIONS, List.of(value("a", 1, "1")));
        files.delete(DIRECTORY.resolve(FileNames.table(3)));
        assertThatThrownBy(() -> SSTable.open(files, DIRECTORY, metadata))
                .isInstanceOf(CorruptionException.class)
                .hasMessageContaining("missing");
    }
}
