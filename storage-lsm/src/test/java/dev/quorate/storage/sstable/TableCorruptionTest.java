package dev.quorate.storage.sstable;

import static dev.quorate.storage.sstable.Tables.DIRECTORY;
import static dev.quorate.storage.sstable.Tables.bytes;
import static dev.quorate.storage.sstable.Tables.drain;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.quorate.storage.CorruptionException;
import dev.quorate.storage.Entry;
import dev.quorate.storage.EntryCursor;
import dev.quorate.storage.Scale;
import dev.quorate.storage.StorageException;
import dev.quorate.storage.StorageOptions;
import dev.quorate.storage.Timestamp;
import dev.quorate.storage.format.FileNames;
import dev.quorate.storage.io.MemoryFiles;
import dev.quorate.storage.sstable.block.BlockReader;
import dev.quorate.storage.sstable.file.TableFormat;
import dev.quorate.storage.sstable.index.IndexBlock;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.NavigableMap;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * Whatever happens to the bytes of a table, it returns correct results or reports corruption, and
 * verification finds every damage, including damage that no read touches.
 */
class TableCorruptionTest {

    private static final int FLIPS = Scale.of(10_000, 5);
    private static final StorageOptions OPTIONS = StorageOptions.defaults().withBlockBytes(256);

    private final MemoryFiles files = new MemoryFiles();

    private static Path path(long number) {
        return DIRECTORY.resolve(FileNames.table(number));
    }

    /** A table, its model, and its intact bytes. */
    private final class Victim {
        final TableMetadata metadata;
        final NavigableMap<byte[], Entry> model;
        final List<byte[]> questions = new ArrayList<>();
        final byte[] whole;

        Victim(long number, StorageOptions options, NavigableMap<byte[], Entry> model) {
            this.model = model;
            this.metadata = Tables.write(files, number, 0, options, model.values());
            this.whole = files.read(path(number));
            for (byte[] key : model.keySet()) {
                questions.add(key);
                byte[] beside = Arrays.copyOf(key, key.length + 1);
                beside[key.length] = 'x';
                questions.add(beside);
            }
        }

        SSTable open(byte[] content) {
            files.replace(path(metadata.number()), content);
            return SSTable.open(files, DIRECTORY, metadata);
        }

        /** Runs random look-ups; returns how many reported corruption. */
        int ask(SSTable table, Random random, int count) {
            int detected = 0;
            for (int i = 0; i < count; i++) {
                byte[] key = questions.get(random.nextInt(questions.size()));
                try {
                    @Nullable Entry found = table.find(key, SSTable.hash(key));
                    assertThat(found).isEqualTo(model.get(key));
                } catch (CorruptionException honest) {
                    detected++;
                }
                assertThat(table.bytesBetween(key, null)).isBetween(0L, metadata.fileBytes());
            }
            return detected;
        }

        /**
         * Scans the table in both orders: every entry is correct, and the scan is complete or ends
         * with corruption.
         */
        void walk(SSTable table) {
            List<Entry> expected = List.copyOf(model.values());
            walk(table.scan(new byte[0], null), expected);
            walk(table.scanDescending(new byte[0], null), expected.reversed());
        }

        private static void walk(EntryCursor opened, List<Entry> expected) {
            List<Entry> seen = new ArrayList<>();
            try (EntryCursor cursor = opened) {
                while (cursor.next()) {
                    seen.add(cursor.entry());
                }
                assertThat(seen).isEqualTo(expected);
            } catch (CorruptionException honest) {
                assertThat(seen).isEqualTo(expected.subList(0, seen.size()));
            }
        }

        /** Opens a damaged copy: every result is correct or reports corruption. */
        void examine(byte[] damaged, Random random, int count) {
            SSTable table;
            try {
                table = open(damaged);
            } catch (CorruptionException honest) {
                return;
            }
            assertThatThrownBy(table::verify).isInstanceOf(CorruptionException.class);
            ask(table, random, count);
            walk(table);
            table.release();
        }
    }

    private Victim small() {
        Random random = new Random(11);
        NavigableMap<byte[], Entry> model = Tables.newModel();
        for (int i = 0; i < 40; i++) {
            Tables.put(model, Tables.randomEntry(random, bytes("user:" + (char) ('A' + i))));
        }
        return new Victim(5, OPTIONS, model);
    }

    @Test
    void everyFlippedBitOfASmallTableIsDetected() {
        Victim victim = small();
        Random random = new Random(1);
        assertThat(victim.whole.length).isBetween(1500, 25_000);
        byte[] damaged = victim.whole.clone();
        int step = Scale.every(5); // Every byte, and its bits in turn: 5 and 8 share no factor.
        for (int flip = 0; flip < 8 * damaged.length; flip += step) {
            int at = flip / 8;
            damaged[at] ^= (byte) (1 << flip % 8);
            victim.examine(damaged, random, 5);
            damaged[at] = victim.whole[at];
        }
    }

    @Test
    void bitsFlippedInAnOpenTableAreDetected() {
        Random random = new Random(Tables.seed("bitsFlippedInAnOpenTableAreDetected"));
        Victim victim = new Victim(6, OPTIONS, Tables.randomModel(random, 1200));
        byte[] live = victim.whole.clone();
        SSTable table = victim.open(live);
        int hidden = 0;
        for (int flip = 0; flip < FLIPS; flip++) {
            int at = random.nextInt(live.length);
            live[at] ^= (byte) (1 << random.nextInt(8));
            if (victim.ask(table, random, 30) == 0) {
                hidden++;
            }
            if (flip % 10 == 0) {
                assertThatThrownBy(table::verify).isInstanceOf(CorruptionException.class);
                victim.walk(table);
            }
            live[at] = victim.whole[at];
        }
        assertThat(hidden).isLessThan(FLIPS);
        table.verify();
    }

    @Test
    void largeEntriesAreVerifiedToo() {
        NavigableMap<byte[], Entry> model = Tables.newModel();
        Random random = new Random(Tables.seed("largeEntriesAreVerifiedToo"));
        for (String key : List.of("a", "b", "c".repeat(6000))) {
            byte[] value = new byte[20_000];
            random.nextBytes(value);
            Tables.put(model, Entry.value(bytes(key), new Timestamp(1, 1), value, 1));
        }
        Victim victim = new Victim(7, OPTIONS, model);
        byte[] damaged = victim.whole.clone();
        for (int flip = 0; flip < Scale.of(1_500, 3); flip++) {
            // The first bytes of each entry are lengths, which are used before they are verified.
            int at = flip < 200 ? flip : random.nextInt(damaged.length);
            damaged[at] ^= (byte) (1 << random.nextInt(8));
            victim.examine(damaged, random, 6);
            damaged[at] = victim.whole[at];
        }
    }

    @Test
    void everyTruncationIsDetected() {
        Victim victim = small();
        for (int length = 0; length < victim.whole.length; length++) {
            byte[] cut = Arrays.copyOf(victim.whole, length);
            assertThatThrownBy(() -> victim.open(cut)).isInstanceOf(CorruptionException.class);
            if (length > 0) {
                // Even if the manifest were wrong in the same way.
                TableMetadata agreeing = withFileBytes(victim.metadata, length);
                assertThatThrownBy(() -> SSTable.open(files, DIRECTORY, agreeing))
                        .isInstanceOf(CorruptionException.class);
            }
        }
        byte[] longer = Arrays.copyOf(victim.whole, victim.whole.length + 1);
        assertThatThrownBy(() -> victim.open(longer)).isInstanceOf(CorruptionException.class);
    }

    private static TableMetadata withFileBytes(TableMetadata metadata, long fileBytes) {
        return new TableMetadata(
                metadata.number(),
                metadata.level(),
                fileBytes,
                metadata.entries(),
                metadata.tombstones(),
                metadata.smallestKey(),
                metadata.largestKey(),
                metadata.oldest(),
                metadata.newest());
    }

    @Test
    void lostWritesAreDetected() {
        Random random = new Random(Tables.seed("lostWritesAreDetected"));
        Victim victim = new Victim(8, OPTIONS, Tables.randomModel(random, 600));
        for (int i = 0; i < 500; i++) {
            byte[] damaged = victim.whole.clone();
            int from = random.nextInt(damaged.length / 512) * 512;
            Arrays.fill(damaged, from, Math.min(damaged.length, from + 512), (byte) 0);
            victim.examine(damaged, random, 40);
        }
    }

    /** Blocks of equal size, so that blocks can be swapped. */
    private Victim uniform(long number, String value) {
        NavigableMap<byte[], Entry> model = Tables.newModel();
        for (int i = 1000; i < 1400; i++) {
            Tables.put(model, Tables.value("key" + i, i, value));
        }
        return new Victim(number, OPTIONS, model);
    }

    @Test
    void swappedBlocksAreDetected() {
        Random random = new Random(Tables.seed("swappedBlocksAreDetected"));
        Victim victim = uniform(9, "some value");
        SSTable table = victim.open(victim.whole);
        IndexBlock part = table.reader().part(0);
        for (int i = 0; i < 500; i++) {
            int a = random.nextInt(part.count());
            int b = random.nextInt(part.count());
            int length = part.targetLength(a);
            if (a == b || length != part.targetLength(b)) {
                continue;
            }
            byte[] damaged = victim.whole.clone();
            int at = (int) part.targetOffset(a);
            int to = (int) part.targetOffset(b);
            System.arraycopy(victim.whole, at, damaged, to, length);
            if (random.nextBoolean()) {
                System.arraycopy(victim.whole, to, damaged, at, length);
            }
            victim.examine(damaged, random, 100);
            assertThatThrownBy(() -> find(victim.open(damaged), firstKey(victim, b)))
                    .isInstanceOf(CorruptionException.class);
        }
    }

    /** The first key of a data block of the first index part. */
    private static byte[] firstKey(Victim victim, int slot) {
        MemoryFiles pristine = new MemoryFiles();
        pristine.replace(path(victim.metadata.number()), victim.whole);
        SSTable table = SSTable.open(pristine, DIRECTORY, victim.metadata);
        BlockReader block = new BlockReader();
        IndexBlock part = table.reader().part(0);
        block.load(table.reader().file(), part.targetOffset(slot), part.targetLength(slot));
        assertThat(block.next()).isTrue();
        return block.key();
    }

    private static @Nullable Entry find(SSTable table, byte[] key) {
        return table.find(key, SSTable.hash(key));
    }

    @Test
    void aBlockOfAnotherTableIsDetected() {
        Random random = new Random(Tables.seed("aBlockOfAnotherTableIsDetected"));
        Victim older = uniform(10, "old");
        Victim newer = uniform(11, "new");
        assertThat(newer.whole).hasSameSizeAs(older.whole);
        IndexBlock part = newer.open(newer.whole).reader().part(0);
        for (int slot = 0; slot < part.count(); slot++) {
            byte[] damaged = newer.whole.clone();
            int at = (int) part.targetOffset(slot);
            System.arraycopy(older.whole, at, damaged, at, part.targetLength(slot));
            newer.examine(damaged, random, 50);
            byte[] key = firstKey(newer, slot);
            assertThatThrownBy(() -> find(newer.open(damaged), key))
                    .isInstanceOf(CorruptionException.class);
        }
    }

    @Test
    void aFileOfAnotherTableIsDetected() {
        Victim older = uniform(12, "old");
        Victim newer = uniform(13, "new");
        assertThatThrownBy(() -> newer.open(older.whole))
                .isInstanceOf(CorruptionException.class)
                .hasMessageContaining("table number 12, expected 13");
    }

    @Test
    void aTableThatContradictsTheManifestIsDetected() {
        Victim victim = small();
        TableMetadata metadata = victim.metadata;
        TableMetadata other =
                new TableMetadata(
                        metadata.number(),
                        metadata.level(),
                        metadata.fileBytes(),
                        metadata.entries() + 1,
                        metadata.tombstones(),
                        metadata.smallestKey(),
                        metadata.largestKey(),
                        metadata.oldest(),
                        metadata.newest());
        assertThatThrownBy(() -> SSTable.open(files, DIRECTORY, other))
                .isInstanceOf(CorruptionException.class);
        SSTable moved = SSTable.open(files, DIRECTORY, metadata.atLevel(3));
        assertThat(drain(moved.scan(new byte[0], null))).hasSize(40);
        moved.verify();
    }

    @Test
    void aNewerFormatIsRejectedByNumber() {
        Victim victim = small();
        byte[] later = victim.whole.clone();
        int footer = later.length - TableFormat.FOOTER_BYTES;
        TableFormat.ARRAY_INT.set(later, footer + 36, 2);
        Tables.reseal(later, footer, TableFormat.FOOTER_BYTES, 5);
        assertThatThrownBy(() -> victim.open(later))
                .isInstanceOf(StorageException.Io.class)
                .hasMessageContaining("has table format 2, this program reads 1");
    }
}
