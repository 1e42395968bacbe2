package dev.quorate.storage.memtable;

import static dev.quorate.storage.sstable.Tables.bytes;
import static dev.quorate.storage.sstable.Tables.drain;
import static dev.quorate.storage.sstable.Tables.tombstone;
import static dev.quorate.storage.sstable.Tables.value;
import static org.assertj.core.api.Assertions.assertThat;

import dev.quorate.storage.Entry;
import dev.quorate.storage.EntryCursor;
import dev.quorate.storage.KeyOrder;
import dev.quorate.storage.Timestamp;
import dev.quorate.storage.sstable.SSTable;
import dev.quorate.storage.sstable.Tables;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.NavigableMap;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The newest entry of each key, in any order of arrival, with concurrent readers. */
class MemtableTest {

    private final MemtableMemory memory = new MemtableMemory(MemtableMemory.Allocator.SYSTEM);
    private final Memtable memtable = new Memtable(memory, KeyPrefixes.UNKNOWN, 0);

    @AfterEach
    void close() {
        memtable.close();
        assertThat(memory.arenas()).isZero();
        assertThat(memory.bytes()).isZero();
    }

    private Timestamp put(Entry entry) {
        return memtable.put(entry, SSTable.hash(entry.key()));
    }

    private @Nullable Entry get(byte[] key) {
        return memtable.get(key, SSTable.hash(key));
    }

    @Test
    void aValueThatIsTooLongIsNotRead() {
        put(Entry.value(bytes("a"), new Timestamp(1, 1), new byte[100], 3));
        long hash = SSTable.hash(bytes("a"));
        assertThat(memtable.get(bytes("a"), hash, 99)).isSameAs(Memtable.TOO_LONG);
        assertThat(memtable.get(bytes("a"), hash, 100)).isEqualTo(get(bytes("a")));
    }

    @Test
    void aLateOldEntryIsIgnored() {
        assertThat(put(value("a", 5, "new"))).isEqualTo(new Timestamp(5, 1));
        assertThat(put(value("a", 3, "old"))).isEqualTo(new Timestamp(5, 1));
        assertThat(get(bytes("a"))).isEqualTo(value("a", 5, "new"));
        assertThat(put(tombstone("a", 7))).isEqualTo(new Timestamp(7, 1));
        assertThat(put(value("a", 6, "late"))).isEqualTo(new Timestamp(7, 1));
        assertThat(get(bytes("a"))).isEqualTo(tombstone("a", 7));
        assertThat(memtable.entries()).isEqualTo(1);
    }

    @Test
    void anEntryIsNotedAsNewestUnlessAnotherSupersedesIt() {
        long hash = SSTable.hash(bytes("a"));
        memtable.noteNewest(bytes("a"), hash, value("a", 1, "elsewhere"));
        put(value("a", 5, "5"));
        assertThat(memtable.isNewest(bytes("a"), hash)).isFalse();
        memtable.noteNewest(bytes("a"), hash, value("a", 6, "elsewhere"));
        assertThat(memtable.isNewest(bytes("a"), hash)).isFalse();
        memtable.noteNewest(bytes("a"), hash, value("a", 5, "5"));
        assertThat(memtable.isNewest(bytes("a"), hash)).isTrue();
        put(value("a", 7, "7"));
        assertThat(memtable.isNewest(bytes("a"), hash)).isTrue();
        assertThat(memtable.isNewest(bytes("b"), SSTable.hash(bytes("b")))).isFalse();
    }

    @Test
    void allFieldsOfAnEntryAreStored() {
        Entry first = Entry.value(bytes("a"), new Timestamp(1, 1), bytes("1"), 3);
        Entry second = Entry.expiring(bytes("a"), new Timestamp(2, 1), bytes("2"), 5, 77);
        put(first);
        put(second);
        assertThat(get(bytes("a"))).isEqualTo(second);
    }

    @Test
    void aStepIsStoredAndOrdered() {
        Timestamp root = new Timestamp(5, 1);
        // Rooms of 0, 8 and 16 bytes, and one that is reused by an entry without a step.
        List<Entry> ascending =
                List.of(
                        Entry.value(bytes("a"), root, new byte[16], 3),
                        Entry.value(bytes("a"), root.withStep(6), new byte[16], 255),
                        Entry.tombstone(bytes("a"), root.withStep(7), 3),
                        Entry.expiring(bytes("a"), root.withStep(-2), new byte[1], 0, 77),
                        Entry.value(bytes("a"), root.withStep(-1), new byte[8], 3),
                        Entry.value(bytes("a"), new Timestamp(5, 2), new byte[24], 3),
                        Entry.value(bytes("a"), new Timestamp(5, 2, 6), new byte[0], 3)
                                .withContentType("a/b"),
                        Entry.value(bytes("a"), new Timestamp(5, 3), new byte[9], 3)
                                .withContentType("text/plain"),
                        Entry.expiring(bytes("a"), new Timestamp(5, 4), new byte[8], 3, 7)
                                .withContentType("x".repeat(255)));
        for (Entry entry : ascending) {
            for (Entry earlier : ascending) {
                if (entry.supersedes(earlier)) {
                    put(earlier);
                }
            }
            assertThat(put(entry)).isEqualTo(entry.timestamp());
            assertThat(get(bytes("a"))).isEqualTo(entry);
            assertThat(drain(memtable.scan(new byte[0], null))).containsExactly(entry);
        }
    }

    @Test
    void aMemtableMatchesItsModel() {
        Random random = new Random(Tables.seed("aMemtableMatchesItsModel"));
        for (int round = 0; round < 30; round++) {
            Memtable table = new Memtable(memory, randomPrefixes(random), random.nextInt(1000));
            NavigableMap<byte[], Entry> model = Tables.newModel();
            assertThat(table.isEmpty()).isTrue();
            for (int i = 0; i < 500; i++) {
                Entry entry = Tables.randomEntry(random, randomKey(random));
                Tables.put(model, entry);
                assertThat(table.put(entry, SSTable.hash(entry.key())))
                        .isEqualTo(model.get(entry.key()).timestamp());
            }
            assertThat(table.entries()).isEqualTo(model.size());
            assertThat(table.isEmpty()).isFalse();
            for (int i = 0; i < 50; i++) {
                byte[] start = randomKey(random);
                byte @Nullable [] end = random.nextBoolean() ? null : randomKey(random);
                assertThat(table.get(start, SSTable.hash(start))).isEqualTo(model.get(start));
                assertThat(drain(table.scan(start, end)))
                        .isEqualTo(Tables.range(model, start, end));
                assertThat(drain(table.scan(start, end, KeyOrder.DESCENDING)))
                        .isEqualTo(Tables.range(model, start, end).reversed());
            }
            assertThat(drain(table.scan(new byte[0], null)))
                    .containsExactlyElementsOf(model.values());
            assertThat(drain(table.scan(new byte[0], null, KeyOrder.DESCENDING)))
                    .containsExactlyElementsOf(model.descendingMap().values());
            table.close();
        }
    }

    private static KeyPrefixes randomPrefixes(Random random) {
        return new KeyPrefixes(randomPrefix(random), randomKeyWithOnes(random, random.nextInt(5)));
    }

    private static byte[] randomKeyWithOnes(Random random, int more) {
        byte[] key = Arrays.copyOf(KeyPrefixes.ONES, KeyPrefixes.ONES.length + more);
        for (int i = KeyPrefixes.ONES.length; i < key.length; i++) {
            key[i] = (byte) (random.nextInt(3) - 1);
        }
        return key;
    }

    /** Some keys begin with ones. */
    private static byte[] randomKey(Random random) {
        return random.nextInt(3) == 0
                ? randomKeyWithOnes(random, random.nextInt(12))
                : Tables.randomKey(random);
    }

    /** A prefix of all keys, of none, or a long one of some. */
    private static byte[] randomPrefix(Random random) {
        byte[] key = Tables.randomKey(random);
        return Arrays.copyOf(key, random.nextInt(key.length + 1));
    }

    /** Heads of all zeros or all ones belong to keys without the prefix, and to some with it. */
    @Test
    void keysAroundTheExpectedPrefixAreInOrder() {
        byte[] beginning = {'b', (byte) 0xFF};
        byte[] records = {-1, -1, -1, -1, -1, -1, -1, -1, -1, 'r'};
        byte zero = 0;
        byte ones = -1;
        byte[][] inOrder = {
            {zero},
            {'a', ones, ones},
            {'b'},
            {'b', (byte) 0xFE, ones},
            {'b', ones},
            {'b', ones, zero},
            {'b', ones, zero, zero, zero, zero, zero, zero, zero, zero},
            {'b', ones, zero, zero, zero, zero, zero, zero, zero, zero, zero},
            {'b', ones, 1},
            {'b', ones, 127},
            {'b', ones, (byte) 128},
            {'b', ones, ones, ones, ones, ones, ones, ones, ones, ones},
            {'b', ones, ones, ones, ones, ones, ones, ones, ones, ones, zero},
            {'c'},
            {'c', 'a', 'a', 'a', 'a', 'a', 'a', 'a', 'a', 'a', 'a'},
            {ones, ones, ones, ones, ones, ones, ones},
            {ones, ones, ones, ones, ones, ones, ones, zero},
            {ones, ones, ones, ones, ones, ones, ones, (byte) 0xFE, ones},
            {ones, ones, ones, ones, ones, ones, ones, ones},
            {ones, ones, ones, ones, ones, ones, ones, ones, zero},
            {ones, ones, ones, ones, ones, ones, ones, ones, ones, 'q', ones},
            {ones, ones, ones, ones, ones, ones, ones, ones, ones, 'r'},
            {ones, ones, ones, ones, ones, ones, ones, ones, ones, 'r', zero},
            {ones, ones, ones, ones, ones, ones, ones, ones, ones, 'r', 1, 1, 1, 1, 1, 1, 1, 2},
            {ones, ones, ones, ones, ones, ones, ones, ones, ones, 'r', 1, 1, 1, 1, 1, 1, 1, 3},
            {ones, ones, ones, ones, ones, ones, ones, ones, ones, 's'},
            {ones, ones, ones, ones, ones, ones, ones, ones, ones, ones},
        };
        List<byte[]> shuffled = new ArrayList<>(List.of(inOrder));
        Collections.shuffle(
                shuffled, new Random(Tables.seed("keysAroundTheExpectedPrefixAreInOrder")));
        Memtable table = new Memtable(memory, new KeyPrefixes(beginning, records), 0);
        for (byte[] key : shuffled) {
            Entry entry = Entry.value(key, new Timestamp(1, 1), key, 1);
            table.put(entry, SSTable.hash(key));
        }
        assertThat(drain(table.scan(new byte[0], null)).stream().map(Entry::key))
                .containsExactly(inOrder);
        for (int i = 0; i < inOrder.length; i++) {
            assertThat(drain(table.scan(inOrder[i], null))).hasSize(inOrder.length - i);
        }
        table.close();
    }

    @Test
    void theCommonPrefixIsThatOfAllKeys() {
        assertThat(memtable.commonPrefixes().others).isEmpty();
        put(value("user:17", 1, ""));
        assertThat(memtable.commonPrefixes().others).isEqualTo(bytes("user:17"));
        for (int i = 10; i < 99; i++) {
            put(value("user:" + i, 2, ""));
        }
        assertThat(memtable.commonPrefixes().others).isEqualTo(bytes("user:"));
        put(tombstone("us", 3));
        assertThat(memtable.commonPrefixes().others).isEqualTo(bytes("us"));
        put(value("order:1", 4, ""));
        assertThat(memtable.commonPrefixes().others).isEmpty();
    }

    @Test
    void keysThatBeginWithOnesHaveAPrefixOfTheirOwn() {
        assertThat(memtable.commonPrefixes().ones).isEqualTo(KeyPrefixes.ONES);
        byte[] first = {-1, -1, -1, -1, -1, -1, -1, -1, -1, 'a', 'b'};
        put(Entry.tombstone(first, new Timestamp(1, 1), 1));
        assertThat(memtable.commonPrefixes().ones).isEqualTo(first);
        assertThat(memtable.commonPrefixes().others).isEmpty();
        put(value("user:17", 1, ""));
        put(value("user:2", 1, ""));
        byte[] last = {-1, -1, -1, -1, -1, -1, -1, -1, -1, 'a', 'c'};
        put(Entry.tombstone(last, new Timestamp(1, 1), 1));
        assertThat(memtable.commonPrefixes().ones).isEqualTo(Arrays.copyOf(first, 10));
        assertThat(memtable.commonPrefixes().others).isEqualTo(bytes("user:"));
    }

    /**
     * Enough for many chunks of nodes; half of the keys share a long prefix, so their heads are
     * equal.
     */
    @Test
    void manyEntriesInRandomOrderAreSorted() {
        Random random = new Random(Tables.seed("manyEntriesInRandomOrderAreSorted"));
        NavigableMap<byte[], Entry> model = Tables.newModel();
        for (int i = 0; i < 30_000; i++) {
            byte[] key = new byte[1 + random.nextInt(20)];
            random.nextBytes(key);
            if (random.nextBoolean()) {
                Arrays.fill(key, 0, Math.min(key.length, 9), (byte) random.nextInt(2));
            }
            Entry entry = Entry.value(key, new Timestamp(i, 1), new byte[1], 1);
            Tables.put(model, entry);
            put(entry);
        }
        assertThat(memtable.entries()).isEqualTo(model.size());
        assertThat(drain(memtable.scan(new byte[0], null)))
                .containsExactlyElementsOf(model.values());
        for (byte[] key : model.keySet()) {
            assertThat(get(key)).isEqualTo(model.get(key));
        }
    }

    /** A look-up finds every earlier put while nodes, levels and chunks are added. */
    @Test
    void readersFindEarlierEntriesWhileTheListGrows() throws Exception {
        long seed = Tables.seed("readersFindEarlierEntriesWhileTheListGrows");
        int keys = 100_000;
        AtomicInteger put = new AtomicInteger();
        try (ExecutorService executor = Executors.newFixedThreadPool(2)) {
            List<Future<Integer>> readers = new ArrayList<>();
            for (int reader = 0; reader < 2; reader++) {
                Random random = new Random(seed + reader);
                readers.add(
                        executor.submit(
                                () -> {
                                    int missing = 0;
                                    while (put.get() < keys) {
                                        int number = random.nextInt(Math.max(1, put.get()));
                                        boolean there = put.get() > number;
                                        Entry found = get(shuffled(number));
                                        missing += there && found == null ? 1 : 0;
                                    }
                                    return missing;
                                }));
            }
            for (int i = 0; i < keys; i++) {
                put(Entry.value(shuffled(i), new Timestamp(i, 1), new byte[1], 1));
                put.set(i + 1);
            }
            for (Future<Integer> reader : readers) {
                assertThat(reader.get()).isZero();
            }
        }
    }

    private static byte[] shuffled(int number) {
        return bytes(Long.toHexString(number * 0x9E3779B97F4A7C15L));
    }

    /** Overwriting a key needs room for one entry more, and so does a delete, both once. */
    @Test
    void bytesCountEntriesAndWhatIsFreeForReuse() {
        put(value("key", 1, "v".repeat(1000)));
        long one = memtable.bytes();
        assertThat(one).isBetween(1000L, 1800L);
        put(value("key", 2, "v".repeat(1000)));
        long two = memtable.bytes();
        assertThat(two - one).isBetween(1000L, 1040L);
        for (int i = 3; i < 100; i++) {
            put(value("key", i, "v".repeat(1000)));
        }
        assertThat(memtable.bytes()).isEqualTo(two);
        for (int i = 100; i < 200; i += 2) {
            put(tombstone("key", i));
            put(value("key", i + 1, "v".repeat(1000)));
        }
        assertThat(memtable.bytes()).isBetween(two, two + 40);
    }

    @Test
    void bytesBetweenCountsKeysAndValues() {
        assertThat(memtable.bytesBetween(new byte[0], null)).isZero();
        put(value("a", 1, "12345"));
        put(value("bb", 2, "123"));
        put(tombstone("c", 3));
        assertThat(memtable.bytesBetween(new byte[0], null)).isEqualTo(6 + 5 + 1);
        assertThat(memtable.bytesBetween(bytes("b"), bytes("c"))).isEqualTo(5);
        assertThat(memtable.bytesBetween(bytes("d"), null)).isZero();
    }

    @Test
    void readsIncludeEarlierPutsAndAreMonotonic() throws Exception {
        long seed = Tables.seed("readsIncludeEarlierPutsAndAreMonotonic");
        int keys = 64;
        AtomicBoolean done = new AtomicBoolean();
        try (ExecutorService executor = Executors.newFixedThreadPool(3)) {
            List<Future<Void>> readers = new ArrayList<>();
            for (int reader = 0; reader < 3; reader++) {
                Random random = new Random(seed + reader);
                readers.add(executor.submit(reader(random, keys, done)));
            }
            Random random = new Random(seed);
            for (int i = 0; i < 200_000; i++) {
                String key = "key" + random.nextInt(keys);
                put(value(key, random.nextInt(1_000_000), "v"));
            }
            done.set(true);
            for (Future<Void> reader : readers) {
                reader.get();
            }
        }
        assertThat(memtable.entries()).isEqualTo(keys);
    }

    private Callable<Void> reader(Random random, int keys, AtomicBoolean done) {
        Timestamp[] seen = new Timestamp[keys];
        Arrays.fill(seen, Timestamp.ZERO);
        return () -> {
            while (!done.get()) {
                int index = random.nextInt(keys);
                Entry entry = get(bytes("key" + index));
                if (entry != null) {
                    assertThat(entry.timestamp()).isGreaterThanOrEqualTo(seen[index]);
                    seen[index] = entry.timestamp();
                } else {
                    assertThat(seen[index]).isEqualTo(Timestamp.ZERO);
                }
                if (random.nextInt(50) == 0) {
                    walk();
                }
            }
            return null;
        };
    }

    private void walk() {
        for (KeyOrder order : KeyOrder.values()) {
            walk(order);
        }
    }

    private void walk(KeyOrder order) {
        int atLeast = memtable.entries();
        int walked = 0;
        byte @Nullable [] before = null;
        try (EntryCursor cursor = memtable.scan(new byte[0], null, order)) {
            while (cursor.next()) {
                assertThat(before == null || order.compare(before, cursor.key()) < 0).isTrue();
                before = cursor.key();
                walked++;
            }
        }
        assertThat(walked).isGreaterThanOrEqualTo(atLeast);
    }
}
