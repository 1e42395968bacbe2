package dev.quorate.storage.sstable;

import static dev.quorate.storage.sstable.Tables.DIRECTORY;
import static org.assertj.core.api.Assertions.assertThat;

import dev.quorate.storage.CorruptionException;
import dev.quorate.storage.Entry;
import dev.quorate.storage.EntryCursor;
import dev.quorate.storage.StorageException;
import dev.quorate.storage.StorageOptions;
import dev.quorate.storage.Timestamp;
import dev.quorate.storage.format.FileNames;
import dev.quorate.storage.io.MemoryFiles;
import dev.quorate.storage.sstable.file.TableFormat;
import dev.quorate.storage.sstable.index.IndexBlock;
import java.util.ArrayList;
import java.util.List;
import java.util.NavigableMap;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Malformed content with valid checksums, as a bug of a writer or an attacker could produce. There
 * is no correct result, but decoders must stay within bounds: no exception but corruption, no
 * endless loop, no allocation larger than the file.
 */
class TableFuzzTest {

    private static final long NUMBER = 4;
    private static final StorageOptions OPTIONS = StorageOptions.defaults().withBlockBytes(256);

    private record Piece(int offset, int length) {}

    private final MemoryFiles files = new MemoryFiles();
    private final List<Piece> pieces = new ArrayList<>();
    private NavigableMap<byte[], Entry> model = Tables.newModel();
    private TableMetadata metadata;
    private byte[] whole;

    @BeforeEach
    void writeTable() {
        Random random = new Random(8);
        model = Tables.randomModel(random, 120);
        byte[] large = new byte[17_000];
        Tables.put(model, Entry.value(new byte[] {1, 2, 3}, new Timestamp(1, 1), large, 1));
        metadata = Tables.write(files, NUMBER, 0, OPTIONS, model.values());
        whole = files.read(DIRECTORY.resolve(FileNames.table(NUMBER)));
        SSTable table = SSTable.open(files, DIRECTORY, metadata);
        Footer footer = Footer.read(table.reader().file(), NUMBER);
        IndexBlock root = table.reader().root();
        for (int i = 0; i < root.count(); i++) {
            IndexBlock part = table.reader().part(i);
            for (int slot = 0; slot < part.count(); slot++) {
                add(part.targetOffset(slot), part.targetLength(slot));
            }
            add(root.targetOffset(i), root.targetLength(i));
        }
        add(footer.rootOffset(), footer.filterOffset() - footer.rootOffset());
        add(
                footer.summaryOffset(),
                whole.length - TableFormat.FOOTER_BYTES - footer.summaryOffset());
        add(whole.length - TableFormat.FOOTER_BYTES, TableFormat.FOOTER_BYTES);
        table.release();
    }

    private void add(long offset, long length) {
        pieces.add(new Piece((int) offset, (int) length));
    }

    @Test
    void malformedTablesAreRejectedWithinBounds() {
        Random random = new Random(Tables.seed("malformedTablesAreRejectedWithinBounds"));
        int corrupt = 0;
        int rounds = 20_000;
        for (int round = 0; round < rounds; round++) {
            byte[] damaged = whole.clone();
            Piece piece = pieces.get(random.nextInt(pieces.size()));
            int content = piece.length - TableFormat.CHECKSUM_BYTES;
            for (int change = random.nextInt(3); change >= 0; change--) {
                // Numbers are at the ends of sections, and elsewhere.
                int near = Math.min(content, 1 + random.nextInt(1 + random.nextInt(content)));
                int at = random.nextBoolean() ? near - 1 : content - near;
                damaged[piece.offset + at] = nasty(random);
            }
            Tables.reseal(damaged, piece.offset, piece.length, NUMBER);
            files.replace(DIRECTORY.resolve(FileNames.table(NUMBER)), damaged);
            corrupt += examine(random);
        }
        assertThat(corrupt).isGreaterThan(rounds / 10);
        assertThat(files.openFiles()).isZero();
    }

    private static byte nasty(Random random) {
        return switch (random.nextInt(5)) {
            case 0 -> (byte) 0xFF;
            case 1 -> (byte) 0x80;
            case 2 -> 0x7F;
            case 3 -> 0;
            default -> (byte) random.nextInt();
        };
    }

    /** Uses the table in every way; returns 1 if any use reported corruption. */
    private int examine(Random random) {
        int corrupt = 0;
        SSTable table;
        try {
            table = SSTable.open(files, DIRECTORY, metadata);
        } catch (CorruptionException honest) {
            return 1;
        } catch (StorageException.Io otherFormat) {
            assertThat(otherFormat).hasMessageContaining("table format");
            return 1;
        }
        for (int i = 0; i < 5; i++) {
            byte[] key =
                    random.nextBoolean()
                            ? Tables.randomKey(random)
                            : Tables.randomEntry(random, new byte[] {1, 2, 3}).key();
            try {
                table.find(key, SSTable.hash(key));
            } catch (CorruptionException honest) {
                corrupt = 1;
            }
        }
        byte[] bound = Tables.randomKey(random);
        boolean ascends = random.nextBoolean();
        try (EntryCursor cursor =
                ascends ? table.scan(bound, null) : table.scanDescending(new byte[0], bound)) {
            for (int i = 0; cursor.next(); i++) {
                assertThat(i).isLessThan(whole.length);
                assertThat(cursor.entry().key()).isNotNull();
            }
        } catch (CorruptionException honest) {
            corrupt = 1;
        }
        try {
            table.verify();
        } catch (CorruptionException honest) {
            corrupt = 1;
        }
        table.release();
        return corrupt;
    }
}
