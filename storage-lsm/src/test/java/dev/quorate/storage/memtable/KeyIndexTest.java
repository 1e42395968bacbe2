package dev.quorate.storage.memtable;

import static dev.quorate.storage.sstable.Tables.bytes;
import static org.assertj.core.api.Assertions.assertThat;

import dev.quorate.storage.Entry;
import dev.quorate.storage.EntryCursor;
import dev.quorate.storage.Timestamp;
import dev.quorate.storage.sstable.SSTable;
import dev.quorate.storage.sstable.Tables;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.NavigableMap;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Look-ups by good and bad hashes, while the table grows and concurrent readers read. */
class KeyIndexTest {

    /** The hash of the store, and others that provoke every kind of collision. */
    enum Hash {
        USUAL,
        ALL_ALIKE,
        FEW,
        /** All have their home near the last word, so that probes wrap around. */
        ROUND_THE_END,
        /** They differ only in their home. */
        LOW_BITS,
        /** They differ only in the bits stored beside the number. */
        HIGH_BITS,
        /** Most find a free word, many do not. */
        CLUSTERS;

        long of(byte[] key) {
            long usual = SSTable.hash(key);
            return switch (this) {
                case USUAL -> usual;
                case ALL_ALIKE -> 7;
                case FEW -> usual & 63;
                case ROUND_THE_END -> -1 - (usual & 15);
                case LOW_BITS -> usual & 0xFFF;
                case HIGH_BITS -> usual & 0xFFFF_0000L;
                case CLUSTERS -> usual & 0xFFFF_FFE0L;
            };
        }
    }

    private final MemtableMemory memory = new MemtableMemory(MemtableMemory.Allocator.SYSTEM);
    private final MemtableArena arena = new MemtableArena(memory);
    private final Records records = new Records(arena);

    @AfterEach
    void close() {
        arena.close();
    }

    /** A block before the first record, as the list has it: reference 0 is none. */
    private KeyIndex index() {
        arena.new Region().allocate(8);
        return new KeyIndex(arena, records, 0);
    }

    private int add(KeyIndex index, byte[] key, long hash) {
        index.reserve();
        int record = records.add(Entry.value(key, new Timestamp(1, 1), new byte[1], 1));
        index.add(record, hash);
        return record;
    }

    @Test
    void probesAreBoundedUnderHashCollisions() {
        KeyIndex index = index();
        // At this size the table keeps its first words, and the first probes find these.
        int keys = 3 * KeyIndex.MAX_PROBES;
        int[] added = new int[keys];
        for (int number = 0; number < keys; number++) {
            int expected = number < KeyIndex.MAX_PROBES ? KeyIndex.ABSENT : KeyIndex.UNKNOWN;
            assertThat(index.find(bytes("key" + number), 5)).isEqualTo(expected);
            added[number] = add(index, bytes("key" + number), 5);
        }
        int found = 0;
        for (int number = 0; number < keys; number++) {
            int record = index.find(bytes("key" + number), 5);
            assertThat(record).isIn(added[number], KeyIndex.UNKNOWN);
            found += record == added[number] ? 1 : 0;
        }
        assertThat(found).isEqualTo(KeyIndex.MAX_PROBES);
        assertThat(index.find(bytes("key0"), 5 - 1)).isEqualTo(KeyIndex.ABSENT);
    }

    /** Otherwise every look-up would fall back to the list. */
    @Test
    void fewEntriesAreOmittedWithTheRealHash() {
        KeyIndex index = index();
        int keys = 32_768;
        int[] added = new int[keys];
        for (int number = 0; number < keys; number++) {
            byte[] key = key(number);
            added[number] = add(index, key, SSTable.hash(key));
        }
        int found = 0;
        int absent = 0;
        for (int number = 0; number < keys; number++) {
            int record = index.find(key(number), SSTable.hash(key(number)));
            found += record == added[number] ? 1 : 0;
            byte[] other = key(keys + number);
            absent += index.find(other, SSTable.hash(other)) == KeyIndex.ABSENT ? 1 : 0;
        }
        assertThat(found).isGreaterThan(keys * 99 / 100);
        assertThat(absent).isGreaterThan(keys * 98 / 100);
    }

    @ParameterizedTest
    @EnumSource
    void aMemtableMatchesItsModelWithAnyHash(Hash hash) {
        Random random = new Random(Tables.seed("aMemtableMatchesItsModelWithAnyHash"));
        Memtable table = new Memtable(memory, KeyPrefixes.UNKNOWN, 0);
        NavigableMap<byte[], Entry> model = Tables.newModel();
        int keys = 1 + random.nextInt(10_000);
        for (int i = 0; i < 20_000; i++) {
            byte[] key = key(random.nextInt(keys));
            Entry entry = entry(random, key);
            Tables.put(model, entry);
            assertThat(table.put(entry, hash.of(key))).isEqualTo(model.get(key).timestamp());
            byte[] asked = key(random.nextInt(2 * keys));
            assertThat(table.get(asked, hash.of(asked))).isEqualTo(model.get(asked));
        }
        for (int number = 0; number < 2 * keys; number++) {
            byte[] key = key(number);
            assertThat(table.get(key, hash.of(key))).isEqualTo(model.get(key));
        }
        assertThat(table.entries()).isEqualTo(model.size());
        assertThat(table.tombstones())
                .isEqualTo(model.values().stream().filter(Entry::isTombstone).count());
        assertThat(Tables.drain(table.scan(new byte[0], null)))
                .containsExactlyElementsOf(model.values());
    }

    private static Entry entry(Random random, byte[] key) {
        Timestamp timestamp =
                Tables.randomTimestamp(random, random.nextInt(100), random.nextInt(3));
        return random.nextInt(5) == 0
                ? Entry.tombstone(key, timestamp, 3)
                : Entry.value(key, timestamp, new byte[] {(byte) random.nextInt(5)}, 3);
    }

    private static byte[] key(int number) {
        return bytes("all begin alike " + number);
    }

    /** Readers find every inserted key and no other while the table grows. */
    @ParameterizedTest
    @EnumSource(names = {"USUAL", "CLUSTERS"})
    void readersAreCorrectWhileTheTableGrows(Hash hash) throws Exception {
        long seed = Tables.seed("readersAreCorrectWhileTheTableGrows");
        int keys = 60_000;
        Memtable table = new Memtable(memory, KeyPrefixes.UNKNOWN, 0);
        AtomicInteger put = new AtomicInteger();
        try (ExecutorService executor = Executors.newFixedThreadPool(2)) {
            List<Future<Void>> readers = new ArrayList<>();
            for (int reader = 0; reader < 2; reader++) {
                Random random = new Random(seed + reader);
                readers.add(executor.submit(() -> read(table, hash, random, keys, put)));
            }
            for (int number = 0; number < keys; number++) {
                byte[] key = key(number);
                table.put(Entry.value(key, new Timestamp(1, 1), new byte[1], 1), hash.of(key));
                put.set(number + 1);
            }
            for (Future<Void> reader : readers) {
                reader.get();
            }
        }
    }

    private static @Nullable Void read(
            Memtable table, Hash hash, Random random, int keys, AtomicInteger put) {
        while (put.get() < keys) {
            int there = put.get();
            // Including the last ones, which a table that grows concurrently could lack.
            int number = random.nextBoolean() ? there - 1 : random.nextInt(there + 1);
            if (number >= 0) {
                byte[] key = key(number);
                Entry found = table.get(key, hash.of(key));
                if (number < there) {
                    assertThat(found).as("key %d of %d", number, there).isNotNull();
                }
                if (found != null) {
                    assertThat(found.key()).isEqualTo(key);
                }
            }
            byte[] never = bytes("all begin alike -" + random.nextInt(keys));
            assertThat(table.get(never, hash.of(never))).isNull();
        }
        return null;
    }

    /**
     * A reader that has found an entry by one index finds it by the other, even just after its
     * insertion.
     */
    @Test
    void lookUpsAndScansAgree() throws Exception {
        int keys = 100_000;
        Memtable table = new Memtable(memory, KeyPrefixes.UNKNOWN, 0);
        try (ExecutorService executor = Executors.newFixedThreadPool(2)) {
            Future<Void> scanner = executor.submit(follow(table, keys, true));
            Future<Void> asker = executor.submit(follow(table, keys, false));
            for (int number = 0; number < keys; number++) {
                byte[] key = inOrder(number);
                Entry entry = Entry.value(key, new Timestamp(1, 1), new byte[1], 1);
                table.put(entry, SSTable.hash(key));
            }
            scanner.get();
            asker.get();
        }
    }

    private static Callable<Void> follow(Memtable table, int keys, boolean scansFirst) {
        return () -> {
            int number = 0;
            while (number < keys) {
                byte[] key = inOrder(number);
                boolean there = table.entries() > number;
                boolean met = scansFirst ? isScanned(table, key) : isFound(table, key);
                if (there) {
                    assertThat(met).as("key %d was put before", number).isTrue();
                }
                if (met) {
                    assertThat(scansFirst ? isFound(table, key) : isScanned(table, key))
                            .as("key %d is found by the other index too", number)
                            .isTrue();
                    // Up to the last one, where the writer is.
                    number = Math.max(number + 1, table.entries());
                }
            }
            return null;
        };
    }

    private static boolean isFound(Memtable table, byte[] key) {
        return table.get(key, SSTable.hash(key)) != null;
    }

    private static boolean isScanned(Memtable table, byte[] key) {
        try (EntryCursor cursor = table.scan(key, null)) {
            return cursor.next() && Arrays.equals(cursor.key(), key);
        }
    }

    private static byte[] inOrder(int number) {
        return bytes(String.valueOf(1_000_000 + number));
    }
}
