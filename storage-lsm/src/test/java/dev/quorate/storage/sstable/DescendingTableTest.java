package dev.quorate.storage.sstable;

import static dev.quorate.storage.sstable.Tables.DIRECTORY;
import static dev.quorate.storage.sstable.Tables.value;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.quorate.storage.CorruptionException;
import dev.quorate.storage.Entry;
import dev.quorate.storage.EntryCursor;
import dev.quorate.storage.StorageOptions;
import dev.quorate.storage.format.FileNames;
import dev.quorate.storage.io.MemoryFiles;
import dev.quorate.storage.sstable.file.TableFormat;
import dev.quorate.storage.sstable.index.IndexBlock;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * A descending scan detects blocks and entries out of their places, under valid checksums, and
 * returns nothing wrong before.
 */
class DescendingTableTest {

    private static final long NUMBER = 3;
    private static final int TARGET_BYTES = Integer.BYTES + Long.BYTES;
    private static final StorageOptions OPTIONS = StorageOptions.defaults().withBlockBytes(2048);

    private final MemoryFiles files = new MemoryFiles();
    private final List<Entry> entries = new ArrayList<>();
    private final TableMetadata metadata;
    private final byte[] whole;

    DescendingTableTest() {
        for (int i = 100; i < 700; i++) {
            entries.add(value("key" + i, 1, "value"));
        }
        metadata = Tables.write(files, NUMBER, 0, OPTIONS, entries);
        whole = files.read(DIRECTORY.resolve(FileNames.table(NUMBER)));
    }

    private SSTable open(byte[] content) {
        files.replace(DIRECTORY.resolve(FileNames.table(NUMBER)), content);
        return SSTable.open(files, DIRECTORY, metadata);
    }

    /** Reads down to the first damage; returns how many entries come before it. */
    private int entriesBeforeDamage(byte[] content) {
        SSTable table = open(content);
        List<Entry> seen = new ArrayList<>();
        try (EntryCursor cursor = table.scanDescending(new byte[0], null)) {
            assertThatThrownBy(
                            () -> {
                                while (cursor.next()) {
                                    seen.add(cursor.entry());
                                }
                            })
                    .isInstanceOf(CorruptionException.class);
            assertThatThrownBy(cursor::next).isInstanceOf(CorruptionException.class);
        }
        table.release();
        assertThat(seen).isEqualTo(entries.reversed().subList(0, seen.size()));
        return seen.size();
    }

    private IndexBlock onlyPart() {
        SSTable table = open(whole);
        assertThat(table.reader().root().count()).isEqualTo(1);
        return table.reader().part(0);
    }

    @Test
    void blocksThatTheIndexSkipsAreDetected() {
        IndexBlock part = onlyPart();
        int partAt = (int) part.offset();
        int count = part.count();
        assertThat(count).isGreaterThan(5);
        int slots = partAt + TableFormat.INDEX_HEADER_BYTES + count * Long.BYTES;
        int last = -1;
        for (int slot = 1; slot < count; slot++) {
            byte[] damaged = whole.clone();
            int from = slots + (slot - 1) * TableFormat.SLOT_BYTES + Integer.BYTES;
            int to = from + TableFormat.SLOT_BYTES;
            System.arraycopy(whole, from, damaged, to, TARGET_BYTES);
            SSTable table = open(whole);
            int length = table.reader().root().targetLength(0);
            table.release();
            Tables.reseal(damaged, partAt, length, NUMBER);
            int before = entriesBeforeDamage(damaged);
            assertThat(last < 0 || before < last).as("slot %s", slot).isTrue();
            last = before;
        }
        assertThat(last).as("the last block does not end where the data ends").isZero();
    }

    @Test
    void restartsOutOfPlaceAreDetected() {
        IndexBlock part = onlyPart();
        int length = part.targetLength(0);
        int countAt = length - TableFormat.TRAILER_BYTES - Integer.BYTES;
        int restarts = (int) TableFormat.ARRAY_INT.get(whole, countAt);
        assertThat(restarts).isGreaterThan(3);
        int secondAt = countAt - (restarts - 1) * Integer.BYTES;
        int second = (int) TableFormat.ARRAY_INT.get(whole, secondAt);
        int third = (int) TableFormat.ARRAY_INT.get(whole, secondAt + Integer.BYTES);
        for (int wrong : new int[] {0, second + 1, third}) {
            byte[] damaged = whole.clone();
            TableFormat.ARRAY_INT.set(damaged, secondAt, wrong);
            Tables.reseal(damaged, 0, length, NUMBER);
            assertThat(entriesBeforeDamage(damaged)).isBetween(500, entries.size());
        }
    }

    @Test
    void keysThatDoNotAscendFromOneRestartToTheNextAreDetected() {
        IndexBlock part = onlyPart();
        int length = part.targetLength(0);
        int countAt = length - TableFormat.TRAILER_BYTES - Integer.BYTES;
        int restarts = (int) TableFormat.ARRAY_INT.get(whole, countAt);
        int secondAt = countAt - (restarts - 1) * Integer.BYTES;
        int second = (int) TableFormat.ARRAY_INT.get(whole, secondAt);
        int third = (int) TableFormat.ARRAY_INT.get(whole, secondAt + Integer.BYTES);
        byte[] damaged = whole.clone();
        int at = second;
        while (damaged[at] != 'k') {
            at++;
        }
        damaged[at] = 'a';
        Tables.reseal(damaged, 0, length, NUMBER);
        assertThat(at).isLessThan(third);
        SSTable table = open(damaged);
        try (EntryCursor cursor = table.scanDescending(new byte[0], null)) {
            assertThatThrownBy(
                            () -> {
                                while (cursor.next()) {
                                    assertThat(cursor.key()).isNotNull();
                                }
                            })
                    .isInstanceOf(CorruptionException.class)
                    .hasMessageContaining("keys do not ascend");
        }
        table.release();
    }
}
