package dev.quorate.storage.sstable;

import static dev.quorate.storage.sstable.Tables.DIRECTORY;
import static dev.quorate.storage.sstable.Tables.bytes;
import static org.assertj.core.api.Assertions.assertThat;

import dev.quorate.storage.Entry;
import dev.quorate.storage.StorageOptions;
import dev.quorate.storage.Timestamp;
import dev.quorate.storage.format.FileNames;
import dev.quorate.storage.io.MemoryFiles;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** A table stores when half of its entries have expired, if they ever do. */
class ExpiryMarkTest {

    private static final StorageOptions OPTIONS = StorageOptions.defaults().withBlockBytes(256);

    private final MemoryFiles files = new MemoryFiles();

    /** The mark of an opened table with these expiries; 0 is an entry that never expires. */
    private long mark(long... expiries) {
        List<Entry> entries = new ArrayList<>();
        for (int i = 0; i < expiries.length; i++) {
            byte[] key = bytes("key %05d".formatted(i));
            Timestamp timestamp = new Timestamp(i, 1);
            entries.add(
                    expiries[i] == 0
                            ? Entry.value(key, timestamp, bytes("v"), 1)
                            : Entry.expiring(key, timestamp, bytes("v"), 1, expiries[i]));
        }
        TableMetadata metadata =
                Tables.write(files, files.list(DIRECTORY).size() + 1, 1, OPTIONS, entries);
        SSTable table = SSTable.open(files, DIRECTORY, metadata);
        table.verify();
        table.release();
        return table.mostlyExpiredAtMillis();
    }

    @Test
    void theMarkIsTheTimeAtWhichHalfHasExpired() {
        assertThat(mark(0)).isEqualTo(SSTable.NEVER);
        assertThat(mark(7)).isEqualTo(7);
        assertThat(mark(7, 0)).isEqualTo(7);
        assertThat(mark(7, 0, 0)).isEqualTo(SSTable.NEVER);
        assertThat(mark(7, 0, 9)).isEqualTo(9);
        assertThat(mark(30, 10, 20)).isEqualTo(20);
        assertThat(mark(30, 10, 20, 40)).isEqualTo(20);
        assertThat(mark(Long.MAX_VALUE)).isEqualTo(SSTable.NEVER);
    }

    @Test
    void halfHasExpiredAtTheMarkAndNotBefore() {
        Random random = new Random(Long.getLong("quorate.seed", 20_261_121));
        for (int round = 0; round < 50; round++) {
            long[] expiries = new long[1 + random.nextInt(300)];
            for (int i = 0; i < expiries.length; i++) {
                expiries[i] = random.nextInt(3) == 0 ? 0 : 1 + random.nextInt(50);
            }
            long mark = mark(expiries);
            for (long now = 0; now <= 50; now++) {
                int expired = 0;
                for (long expiry : expiries) {
                    expired += expiry != 0 && expiry <= now ? 1 : 0;
                }
                assertThat(2 * expired >= expiries.length).isEqualTo(now >= mark);
            }
        }
    }

    /** The first table with the field, pinned: it must remain readable forever. */
    @Test
    void theFormatIsPinned() throws IOException {
        byte[] golden;
        try (InputStream in = ExpiryMarkTest.class.getResourceAsStream("sstable-1-expiry.golden")) {
            assertThat(in).isNotNull();
            golden = in.readAllBytes();
        }
        assertThat(mark(1_800_000_000_000L, 0, 1_700_000_000_000L)).isEqualTo(1_800_000_000_000L);
        assertThat(files.read(DIRECTORY.resolve(FileNames.table(1)))).isEqualTo(golden);
    }
}
