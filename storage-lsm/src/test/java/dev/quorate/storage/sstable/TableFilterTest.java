package dev.quorate.storage.sstable;

import static dev.quorate.storage.sstable.Tables.DIRECTORY;
import static dev.quorate.storage.sstable.Tables.bytes;
import static org.assertj.core.api.Assertions.assertThat;

import dev.quorate.storage.Entry;
import dev.quorate.storage.StorageOptions;
import dev.quorate.storage.Timestamp;
import dev.quorate.storage.io.MemoryFiles;
import dev.quorate.storage.sstable.filter.BloomFilter;
import java.util.Objects;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Every key of a table passes its filter, and few absent ones do. */
class TableFilterTest {

    private static final int KEYS = 200_000;
    private static final int ABSENT = 1_000_000;

    private final MemoryFiles files = new MemoryFiles();

    @Test
    void tenBitsPerKeyYieldAtMostOnePercentFalsePositives() {
        TableWriter writer = new TableWriter(files, DIRECTORY, 1, 0, StorageOptions.defaults());
        for (int i = 0; i < KEYS; i++) {
            writer.add(Entry.tombstone(key(i), Timestamp.ZERO, 0));
        }
        SSTable table = SSTable.open(files, DIRECTORY, writer.finish());
        BloomFilter filter = Objects.requireNonNull(table.reader().filter());
        for (int i = 0; i < KEYS; i++) {
            assertThat(filter.mayContain(SSTable.hash(key(i)))).isTrue();
        }

        int passed = 0;
        for (int i = KEYS; i < KEYS + ABSENT; i++) {
            passed += filter.mayContain(SSTable.hash(key(i))) ? 1 : 0;
        }
        System.out.println("absent keys that pass, of a million: " + passed);
        assertThat(passed).isBetween(ABSENT / 200, ABSENT / 100);

        // Including absent keys of another pattern.
        Random random = new Random(Tables.seed("tenBitsPerKeyYieldAtMostOnePercentFalsePositives"));
        passed = 0;
        for (int i = 0; i < ABSENT; i++) {
            passed += filter.mayContain(random.nextLong()) ? 1 : 0;
        }
        assertThat(passed).isBetween(ABSENT / 200, ABSENT / 100);
    }

    private static byte[] key(int i) {
        return bytes("user:%08d".formatted(i));
    }
}
