package dev.quorate.storage.sstable;

import static dev.quorate.storage.sstable.Tables.bytes;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.quorate.storage.CorruptionException;
import dev.quorate.storage.Entry;
import dev.quorate.storage.EntryCursor;
import dev.quorate.storage.Lookup;
import dev.quorate.storage.StorageException;
import dev.quorate.storage.StorageOptions;
import dev.quorate.storage.Timestamp;
import dev.quorate.storage.compaction.CompactionDecision;
import dev.quorate.storage.compaction.Compactions;
import dev.quorate.storage.compaction.Compactor;
import dev.quorate.storage.cursor.MergingCursor;
import dev.quorate.storage.format.FileNames;
import dev.quorate.storage.io.DiskFiles;
import dev.quorate.storage.io.StorageFiles;
import dev.quorate.storage.io.WritableFile;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests that need a mapped file and a heap of 128 MB. */
class TableOnRealDiskTest {

    private static final StorageOptions OPTIONS = StorageOptions.defaults();
    private static final int ENTRIES = 20_000;

    @TempDir private Path directory;
    private final StorageFiles files = new DiskFiles();

    private static byte[] key(int i) {
        return bytes("key%08d".formatted(i));
    }

    private SSTable table() {
        TableWriter writer = new TableWriter(files, directory, 1, 0, OPTIONS);
        for (int i = 0; i < ENTRIES; i++) {
            writer.add(Entry.value(key(i), new Timestamp(i, 1), new byte[100], 3));
        }
        return SSTable.open(files, directory, writer.finish());
    }

    private static Entry find(SSTable table, int i) {
        byte[] key = key(i);
        return table.find(key, SSTable.hash(key));
    }

    @Test
    void aFreshTableIsResident() {
        SSTable table = table();
        byte[] key = key(77);
        assertThat(table.find(key, SSTable.hash(key), true))
                .isEqualTo(new Lookup.Found(find(table, 77)));
        table.markObsolete();
        table.release();
        assertThat(directory).isEmptyDirectory();
    }

    /**
     * An unreadable page raises a signal, as does a page after the end of a truncated file. It must
     * become an exception of that look-up: neither a result nor the end of the process.
     */
    @Test
    void anUnreadablePageFailsTheLookUp() throws IOException {
        SSTable table = table();
        for (int i = 0; i < ENTRIES; i++) {
            assertThat(find(table, i).timestamp().hybrid()).isEqualTo(i);
        }
        Path path = directory.resolve(FileNames.table(1));
        try (WritableFile file = files.open(path)) {
            file.truncate(table.reader().dataEnd() / 2);
        }
        int failed = 0;
        for (int i = 0; i < ENTRIES; i += 7) {
            try {
                find(table, i);
                throw new AssertionError("answered although its index is gone: " + i);
            } catch (StorageException.Io | CorruptionException honest) {
                failed++;
            }
        }
        assertThat(failed).isEqualTo((ENTRIES + 6) / 7);
        assertThatThrownBy(table::verify).isInstanceOf(StorageException.class);
        try (EntryCursor cursor = table.scan(new byte[0], null)) {
            assertThatThrownBy(cursor::next).isInstanceOf(StorageException.class);
        }
        table.release();
    }

    /** As after repairs: ten tables with the same version of one value. */
    @Test
    void aMergeOfCopiesOfALargeValueHoldsOneOfThem() {
        byte[] large = new byte[12 << 20];
        List<SSTable> inputs = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            TableWriter writer = new TableWriter(files, directory, i, 0, OPTIONS);
            writer.add(Entry.value(bytes("all"), new Timestamp(1, 1), large, 3));
            inputs.add(SSTable.open(files, directory, writer.finish()));
        }
        try (EntryCursor merged =
                new MergingCursor(
                        inputs.stream().map(input -> input.scan(new byte[0], null)).toList())) {
            assertThat(merged.next()).isTrue();
            assertThat(merged.entry().valueBytes()).isEqualTo(large.length);
            assertThat(merged.next()).isFalse();
        }
        inputs.forEach(SSTable::release);
    }

    private List<SSTable> tablesOfLargeValues() {
        byte[] large = new byte[12 << 20];
        List<SSTable> inputs = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            large[0] = (byte) i;
            TableWriter writer = new TableWriter(files, directory, i, 0, OPTIONS);
            writer.add(Entry.value(bytes("all"), new Timestamp(i, 1), large, 3));
            writer.add(Entry.value(bytes("own" + i), new Timestamp(i, 1), large, 3));
            inputs.add(SSTable.open(files, directory, writer.finish()));
        }
        return inputs;
    }

    /** Ten tables whose first values together would exceed the heap. */
    @Test
    void aMergeOfLargeValuesHoldsOneOfThem() {
        List<SSTable> inputs = tablesOfLargeValues();
        CompactionDecision decision =
                new CompactionDecision(inputs.stream().map(SSTable::metadata).toList(), 1);
        AtomicLong number = new AtomicLong(100);
        List<TableMetadata> outputs =
                Compactions.compact(
                        Compactions.compactor(files, directory, OPTIONS, Compactor.TABLE_BYTES),
                        decision,
                        inputs,
                        number::incrementAndGet,
                        () -> false);

        assertThat(outputs.stream().mapToLong(TableMetadata::entries).sum()).isEqualTo(11);
        SSTable first = SSTable.open(files, directory, outputs.getFirst());
        Entry newest = first.find(bytes("all"), SSTable.hash(bytes("all")));
        assertThat(newest.value()[0]).isEqualTo((byte) 9);
        first.release();
        inputs.forEach(SSTable::release);
    }
}
