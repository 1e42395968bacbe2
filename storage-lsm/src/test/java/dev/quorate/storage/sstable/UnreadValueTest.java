package dev.quorate.storage.sstable;

import static dev.quorate.storage.sstable.Tables.DIRECTORY;
import static dev.quorate.storage.sstable.Tables.bytes;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.quorate.storage.CorruptionException;
import dev.quorate.storage.Entry;
import dev.quorate.storage.EntryCursor;
import dev.quorate.storage.Lookup;
import dev.quorate.storage.StorageOptions;
import dev.quorate.storage.Timestamp;
import dev.quorate.storage.UnreadValue;
import dev.quorate.storage.format.FileNames;
import dev.quorate.storage.io.MemoryFiles;
import dev.quorate.storage.memtable.KeyPrefixes;
import dev.quorate.storage.memtable.Memtable;
import dev.quorate.storage.memtable.MemtableMemory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** A long value is copied and compared where it lies, and is as if it had been read. */
class UnreadValueTest {

    private static final int[] LENGTHS = {
        UnreadValue.MIN_BYTES - 1,
        UnreadValue.MIN_BYTES,
        UnreadValue.PIECE_BYTES,
        UnreadValue.PIECE_BYTES + 1,
        300_000
    };

    private final MemoryFiles files = new MemoryFiles();
    private final StorageOptions options = StorageOptions.defaults();
    private final List<Entry> entries = entries();

    private static List<Entry> entries() {
        Random random = new Random(Tables.seed("UnreadValueTest.entries"));
        List<Entry> entries = new ArrayList<>();
        for (int i = 0; i < LENGTHS.length; i++) {
            byte[] value = new byte[LENGTHS[i]];
            random.nextBytes(value);
            Timestamp timestamp = new Timestamp(i + 1, 7);
            entries.add(Entry.value(bytes("a" + i), timestamp, value, 3));
            entries.add(Entry.expiring(bytes("b" + i), timestamp, value, 2, 1_000_000));
            entries.add(
                    Entry.expiring(bytes("bt" + i), timestamp, value, 2, 1_000_000)
                            .withContentType("text/html"));
            entries.add(Entry.value(bytes("c" + i), timestamp, bytes("short"), 3));
            entries.add(Entry.tombstone(bytes("d" + i), timestamp, 1));
        }
        entries.sort((one, other) -> Arrays.compareUnsigned(one.key(), other.key()));
        return entries;
    }

    /** Adds what a cursor is on without reading long values. Returns how many those were. */
    private static int copy(EntryCursor from, TableWriter to) {
        int unread = 0;
        while (from.next()) {
            UnreadValue value = from.unreadValue();
            if (value == null) {
                to.add(from.entry());
            } else {
                to.add(from.key(), from.timestamp(), value);
                unread++;
            }
        }
        return unread;
    }

    @Test
    void aTableOfUnreadValuesIsTheSameTable() {
        SSTable source =
                SSTable.open(files, DIRECTORY, Tables.write(files, 7, 0, options, entries));
        byte[] expected = files.read(file(7));
        MemoryFiles others = new MemoryFiles();
        TableWriter writer = new TableWriter(others, DIRECTORY, 7, 0, options);
        try (EntryCursor cursor = source.scan(new byte[0], null)) {
            assertThat(copy(cursor, writer)).isEqualTo(3 * (LENGTHS.length - 1));
        }
        writer.finish();
        assertThat(others.read(file(7))).isEqualTo(expected);
        source.release();
    }

    @Test
    void aTableOfAMemtableIsTheSameTable() {
        Tables.write(files, 7, 0, options, entries);
        MemtableMemory memory = new MemtableMemory(MemtableMemory.Allocator.SYSTEM);
        MemoryFiles others = new MemoryFiles();
        TableWriter writer = new TableWriter(others, DIRECTORY, 7, 0, options);
        try (Memtable memtable = new Memtable(memory, KeyPrefixes.UNKNOWN, 0)) {
            entries.forEach(entry -> memtable.put(entry, SSTable.hash(entry.key())));
            try (EntryCursor cursor = memtable.scan(new byte[0], null)) {
                assertThat(copy(cursor, writer)).isEqualTo(3 * (LENGTHS.length - 1));
            }
            writer.finish();
        }
        assertThat(others.read(file(7))).isEqualTo(files.read(file(7)));
    }

    @Test
    void damageSinceTheCursorMovedIsFoundWithTheLastPiece() {
        Entry entry = Entry.value(bytes("k"), new Timestamp(1, 1), new byte[200_000], 3);
        TableMetadata metadata = Tables.write(files, 7, 0, options, List.of(entry));
        byte[] live = files.read(file(7));
        files.replace(file(7), live);
        SSTable table = SSTable.open(files, DIRECTORY, metadata);
        try (EntryCursor cursor = table.scan(new byte[0], null)) {
            assertThat(cursor.next()).isTrue();
            UnreadValue value = Objects.requireNonNull(cursor.unreadValue());
            live[150_000] ^= 1;
            byte[] piece = new byte[100_000];
            value.copy(0, piece, piece.length);
            assertThatExceptionOfType(CorruptionException.class)
                    .isThrownBy(() -> value.copy(100_000, piece, piece.length));
        }
        table.release();
    }

    @Test
    void theOrderIsThatOfEntries() {
        Random random = new Random(Tables.seed("UnreadValueTest.order"));
        Timestamp timestamp = new Timestamp(5, 5);
        byte[] base = new byte[UnreadValue.PIECE_BYTES + 10];
        for (int round = 0; round < 200; round++) {
            Entry one = like(base, timestamp, random);
            Entry other = like(base, timestamp, random);
            assertThat(Integer.signum(UnreadValue.of(one).compareAge(UnreadValue.of(other))))
                    .isEqualTo(Integer.signum(one.compareAge(other)));
        }
    }

    private static Entry like(byte[] base, Timestamp timestamp, Random random) {
        byte[] value = Arrays.copyOf(base, base.length - random.nextInt(2));
        if (random.nextBoolean()) {
            value[random.nextInt(value.length)] = (byte) (random.nextInt(3) - 1);
        }
        long expiry = random.nextInt(3);
        String type = random.nextInt(3) == 0 ? "a/" + random.nextInt(2) : null;
        return Entry.expiring(bytes("k"), timestamp, value, 3, expiry).withContentType(type);
    }

    @Test
    void aResidentLookUpDoesNotReadALongValue() {
        Entry fits = Entry.value(bytes("a"), new Timestamp(1, 1), new byte[1 << 20], 3);
        Entry longer = Entry.value(bytes("b"), new Timestamp(1, 1), new byte[2 << 20], 3);
        SSTable table =
                SSTable.open(
                        files,
                        DIRECTORY,
                        Tables.write(files, 7, 0, options, List.of(fits, longer)));
        assertThat(table.find(fits.key(), SSTable.hash(fits.key()), true))
                .isEqualTo(new Lookup.Found(fits));
        assertThat(table.find(longer.key(), SSTable.hash(longer.key()), true))
                .isEqualTo(Lookup.NotResident.TOO_LONG);
        assertThat(table.find(longer.key(), SSTable.hash(longer.key()))).isEqualTo(longer);
        table.release();
    }

    private static Path file(long number) {
        return DIRECTORY.resolve(FileNames.table(number));
    }
}
