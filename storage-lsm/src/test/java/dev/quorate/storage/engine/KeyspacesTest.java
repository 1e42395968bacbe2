package dev.quorate.storage.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.quorate.storage.Damage;
import dev.quorate.storage.Entry;
import dev.quorate.storage.EntryCursor;
import dev.quorate.storage.Holdings;
import dev.quorate.storage.KeyOrder;
import dev.quorate.storage.KeyRange;
import dev.quorate.storage.KeyValueStore;
import dev.quorate.storage.Keyspaces;
import dev.quorate.storage.Lookup;
import dev.quorate.storage.Scale;
import dev.quorate.storage.StorageException;
import dev.quorate.storage.StorageOptions;
import dev.quorate.storage.Timestamp;
import dev.quorate.storage.UnreadValue;
import dev.quorate.storage.simulated.FaultyDisk;
import dev.quorate.storage.sstable.Tables;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CompletionException;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Two keyspaces of one store, neither of which sees the other, around the prefix that parts them.
 */
class KeyspacesTest {

    private static final int ROUNDS = Scale.of(1_000, 50);
    private static final int PREFIX_BYTES = 8;

    private final FaultyDisk disk = new FaultyDisk();

    /** A key at the border: some bytes of 0xFF, more or fewer than the prefix has, and others. */
    private static byte[] key(Random random) {
        byte[] rest = new byte[random.nextInt(3)];
        for (int i = 0; i < rest.length; i++) {
            rest[i] =
                    (byte)
                            List.of(0, 1, 2, 0x7F, 0x80, 0xFE, 0xFF)
                                    .get(random.nextInt(7))
                                    .intValue();
        }
        int ones = List.of(0, 1, 7, 8, 8, 8, 9, 10, 17).get(random.nextInt(9));
        byte[] key = after(ones, rest);
        return key.length == 0 ? new byte[1] : key;
    }

    private static byte[] after(int ones, byte... rest) {
        byte[] key = new byte[ones + rest.length];
        Arrays.fill(key, 0, ones, (byte) -1);
        System.arraycopy(rest, 0, key, ones, rest.length);
        return key;
    }

    /** With a memtable that is not full by itself, and a log for the longest keys. */
    private Keyspaces large() {
        StorageOptions options = Model.TINY.withMemtableBytes(1 << 20).withSegmentBytes(4 << 20);
        return Keyspaces.of(
                Model.open(disk, options, StoreExecutors.inPlace((millis, task) -> {})));
    }

    private static final class Space {
        final KeyValueStore store;
        final NavigableMap<byte[], Entry> model;

        /** The entries that are not hidden. */
        Predicate<Entry> isShown = entry -> true;

        Space(KeyValueStore store, NavigableMap<byte[], Entry> model) {
            this.store = store;
            this.model = model;
        }

        void write(Entry entry) {
            Tables.put(model, entry);
            assertThat(Writes.write(store, entry))
                    .isCompletedWithValue(model.get(entry.key()).timestamp());
        }

        void check(Random random) {
            byte[] start = random.nextInt(4) == 0 ? new byte[0] : key(random);
            byte @Nullable [] end = random.nextInt(4) == 0 ? null : key(random);
            List<Entry> expected =
                    Tables.range(model, start, end).stream().filter(isShown).toList();
            assertThat(Tables.drain(store.scan(start, end))).isEqualTo(expected);
            assertThat(Tables.drain(store.scan(start, end, KeyOrder.DESCENDING)))
                    .isEqualTo(expected.reversed());
            assertThat(Tables.drain(store.scanReadable(start, end))).isEqualTo(expected);
            try (EntryCursor cursor = store.scan(start, end)) {
                for (Entry entry : expected) {
                    assertThat(cursor.next()).isTrue();
                    assertThat(cursor.key()).isEqualTo(entry.key());
                    assertThat(cursor.timestamp()).isEqualTo(entry.timestamp());
                }
                assertThat(cursor.next()).isFalse();
            }
            byte[] key = key(random);
            Entry held = model.get(key);
            Lookup found =
                    held == null || !isShown.test(held)
                            ? Lookup.Absent.ABSENT
                            : new Lookup.Found(held);
            assertThat(store.lookup(key)).isEqualTo(found);
            assertThat(store.lookupResident(key)).isEqualTo(found);
            Holdings holdings = store.holdings(key);
            assertThat(holdings.unread()).isEmpty();
            assertThat(
                            holdings.entries().stream()
                                    .map(Holdings.Held::timestamp)
                                    .max(Timestamp::compareTo))
                    .isEqualTo(Optional.ofNullable(held).map(Entry::timestamp));
            if (!expected.isEmpty()) {
                assertThat(store.bytesBetween(start, end)).isPositive();
            }
        }
    }

    @Test
    void eachKeyspaceIsAStoreOfItsOwn() {
        long seed = Tables.seed("eachKeyspaceIsAStoreOfItsOwn");
        for (int round = 0; round < ROUNDS; round++) {
            Random random = new Random(seed + round);
            FaultyDisk own = new FaultyDisk();
            NavigableMap<byte[], Entry> data = Tables.newModel();
            NavigableMap<byte[], Entry> records = Tables.newModel();
            for (int life = 0; life < 2; life++) {
                Keyspaces spaces = Keyspaces.of(Model.open(own));
                List<Space> both =
                        List.of(
                                new Space(spaces.data(), data),
                                new Space(spaces.records(), records));
                for (int i = 0; i < 120; i++) {
                    Space space = both.get(random.nextInt(2));
                    switch (random.nextInt(20)) {
                        case 0 -> space.store.flush();
                        case 1, 2, 3, 4, 5 -> space.check(random);
                        default ->
                                space.write(withoutExpiry(Tables.randomEntry(random, key(random))));
                    }
                }
                both.get(random.nextInt(2)).store.close();
            }
            assertThat(own.openFiles()).isZero();
        }
    }

    @Test
    void eachKeyspaceIsTestedByItsOwnKeys() {
        long seed = Tables.seed("eachKeyspaceIsTestedByItsOwnKeys");
        for (int round = 0; round < ROUNDS; round++) {
            Random random = new Random(seed + round);
            NavigableMap<byte[], Entry> data = Tables.newModel();
            NavigableMap<byte[], Entry> records = Tables.newModel();
            Keyspaces spaces = Keyspaces.of(Model.open(new FaultyDisk()));
            List<Space> both =
                    List.of(new Space(spaces.data(), data), new Space(spaces.records(), records));
            for (int i = 0; i < 60; i++) {
                both.get(random.nextInt(2))
                        .write(withoutExpiry(Tables.randomEntry(random, key(random))));
            }
            byte[] keptKey = key(random);
            byte[] keptRecord = key(random);
            spaces.discard(
                    (key, from) -> data.containsKey(key) && Arrays.equals(key, keptKey),
                    (key, from) -> records.containsKey(key) && Arrays.equals(key, keptRecord),
                    () -> {});
            data.keySet().removeIf(key -> !Arrays.equals(key, keptKey));
            records.keySet().removeIf(key -> !Arrays.equals(key, keptRecord));
            both.forEach(space -> space.check(random));
            spaces.data().close();
        }
    }

    /** They are absent for readers, by their own keys, but not for writers. */
    @Test
    void hiddenEntriesAreAbsentUntilAllAreShown() {
        long seed = Tables.seed("hiddenEntriesAreAbsentUntilAllAreShown");
        for (int round = 0; round < ROUNDS; round++) {
            Random random = new Random(seed + round);
            Keyspaces spaces = Keyspaces.of(Model.open(new FaultyDisk()));
            Space data = new Space(spaces.data(), Tables.newModel());
            Space records = new Space(spaces.records(), Tables.newModel());
            for (int i = 0; i < 120; i++) {
                Space space = random.nextBoolean() ? data : records;
                switch (random.nextInt(20)) {
                    case 0 -> space.store.flush();
                    case 1 -> {
                        data.isShown = entry -> entry.from() % 2 == 0;
                        records.isShown = entry -> isEven(entry.key());
                        spaces.hide((key, from) -> from % 2 == 0, (key, from) -> isEven(key));
                    }
                    case 2 -> {
                        data.isShown = entry -> true;
                        records.isShown = entry -> true;
                        spaces.showAll();
                    }
                    case 3, 4, 5, 6 -> space.check(random);
                    default -> space.write(withoutExpiry(Tables.randomEntry(random, key(random))));
                }
            }
            spaces.data().close();
        }
    }

    private static boolean isEven(byte[] key) {
        return key.length % 2 == 0;
    }

    @Test
    void longValuesAreNotReadToHideThem() {
        Keyspaces spaces = large();
        write(spaces.data(), after(1), UnreadValue.MIN_BYTES);
        write(spaces.data(), after(2), UnreadValue.MIN_BYTES);
        spaces.data().flush();
        spaces.hide((key, from) -> key.length == 2, (key, from) -> true);
        try (EntryCursor cursor = spaces.data().scan(new byte[0], null)) {
            assertThat(cursor.next()).isTrue();
            assertThat(cursor.key()).isEqualTo(after(2));
            assertThat(cursor.unreadValue()).as("null if it was read").isNotNull();
            assertThat(cursor.next()).isFalse();
        }
        assertThat(spaces.data().lookup(after(1))).isEqualTo(Lookup.Absent.ABSENT);
        spaces.data().close();
    }

    /** The store applies expiry by a clock that has no part in this test. */
    private static Entry withoutExpiry(Entry entry) {
        return entry.isTombstone()
                ? entry
                : Entry.value(entry.key(), entry.timestamp(), entry.value(), entry.from());
    }

    @Test
    void theSizeOfARangeIsThatOfItsKeyspace() {
        Keyspaces spaces = Keyspaces.of(Model.open(disk));
        write(spaces.data(), after(3), 10);
        write(spaces.data(), after(PREFIX_BYTES), 100);
        write(spaces.records(), after(1), 1_000);
        assertThat(spaces.data().bytesBetween(new byte[0], null)).isEqualTo(13 + 109);
        assertThat(spaces.data().bytesBetween(after(PREFIX_BYTES), null)).isEqualTo(109);
        assertThat(spaces.data().bytesBetween(new byte[0], after(PREFIX_BYTES))).isEqualTo(13);
        assertThat(spaces.records().bytesBetween(new byte[0], null)).isEqualTo(1_010);
        spaces.data().close();
    }

    private static void write(KeyValueStore store, byte[] key, int valueBytes) {
        Entry entry = Entry.value(key, new Timestamp(1, 1), new byte[valueBytes], 3);
        assertThat(Writes.write(store, entry)).isCompleted();
    }

    @Test
    void aKeyThatDoesNotFitFailsItsWriteAlone() {
        Keyspaces spaces = large();
        byte[] plain = new byte[Entry.MAX_KEY_BYTES];
        byte[] escaped = after(PREFIX_BYTES, new byte[Entry.MAX_KEY_BYTES - PREFIX_BYTES - 1]);
        byte[] record = new byte[Entry.MAX_KEY_BYTES - PREFIX_BYTES - 1];
        write(spaces.data(), plain, 1);
        write(spaces.data(), escaped, 1);
        write(spaces.records(), record, 1);
        for (KeyValueStore store : List.of(spaces.data(), spaces.records())) {
            byte[] tooLong = after(Entry.MAX_KEY_BYTES);
            Entry entry = Entry.tombstone(tooLong, new Timestamp(1, 1), 3);
            assertThatThrownBy(() -> Writes.write(store, entry).join())
                    .isInstanceOf(CompletionException.class)
                    .hasRootCauseInstanceOf(StorageException.Io.class);
            assertThat(store.lookup(tooLong)).isEqualTo(Lookup.Absent.ABSENT);
            assertThat(Tables.drain(store.scan(tooLong, null))).isEmpty();
        }
        assertThat(Tables.drain(spaces.data().scan(new byte[0], null))).hasSize(2);
        assertThat(Tables.drain(spaces.records().scan(new byte[0], null))).hasSize(1);
        spaces.data().close();
    }

    // ---- Damage.

    /** A table with a block for each key: of data, perhaps of data with the prefix, of records. */
    private Path filled(boolean hasPrefixed) {
        Keyspaces spaces = large();
        for (int i = 0; i < 10; i++) {
            write(spaces.data(), new byte[] {(byte) i}, 200);
            if (hasPrefixed) {
                write(spaces.data(), after(PREFIX_BYTES, (byte) i), 200);
            }
            write(spaces.records(), new byte[] {(byte) i}, 200);
        }
        spaces.data().flush();
        spaces.data().close();
        List<String> tables =
                disk.list(Model.DIRECTORY).stream().filter(name -> name.endsWith(".sst")).toList();
        assertThat(tables).hasSize(1);
        return Model.DIRECTORY.resolve(tables.getFirst());
    }

    private static boolean isReadable(KeyValueStore store, byte[] key) {
        try {
            assertThat(store.lookup(key)).isInstanceOf(Lookup.Found.class);
            return true;
        } catch (StorageException e) {
            return false;
        }
    }

    /** The damage has the key if, and only if, it cannot be read. */
    private static void requireListed(KeyValueStore store, byte[] key) {
        boolean isReadable = isReadable(store, key);
        boolean isDamaged =
                store.damage().stream()
                        .flatMap(damage -> damage.ranges().stream())
                        .anyMatch(range -> range.covers(new KeyRange(key, KeyRange.after(key))));
        assertThat(isReadable).isEqualTo(!isDamaged);
    }

    /** More than once, as whoever waits for it does. */
    private static void healAll(KeyValueStore store) {
        for (Damage damage : store.damage()) {
            assertThat(damage.ranges()).isNotEmpty();
            store.heal(damage);
            store.heal(damage);
        }
    }

    /**
     * Every block is damaged once. Lost keys are in the damage of their keyspace alone, unless the
     * index cannot tell: without a key before it that has the prefix, the block of the first record
     * may contain data.
     */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void damageIsThatOfTheKeyspaceOfItsKeys(boolean hasPrefixed) {
        Path table = filled(hasPrefixed);
        int inData = 0;
        int inRecords = 0;
        int inBoth = 0;
        for (int at = 100; at < (hasPrefixed ? 30 : 20) * 200; at += 150) {
            FaultyDisk damaged = disk.afterKill();
            damaged.flip(table, at);
            Keyspaces spaces = Keyspaces.of(Model.open(damaged));
            for (int i = 0; i < 10; i++) {
                byte[] key = {(byte) i};
                requireListed(spaces.data(), key);
                requireListed(spaces.records(), key);
                if (hasPrefixed) {
                    requireListed(spaces.data(), after(PREFIX_BYTES, (byte) i));
                }
            }
            boolean data = !spaces.data().damage().isEmpty();
            boolean records = !spaces.records().damage().isEmpty();
            assertThat(data || records).isTrue();
            inData += data && !records ? 1 : 0;
            inRecords += records && !data ? 1 : 0;
            inBoth += data && records ? 1 : 0;
            List<Damage> ofRecords = spaces.records().damage();
            healAll(spaces.records());
            if (data) {
                assertThat(spaces.records().damage()).isEqualTo(ofRecords);
            }
            healAll(spaces.data());
            assertThat(spaces.data().damage()).isEmpty();
            assertThat(spaces.records().damage()).isEmpty();
            spaces.data().close();
        }
        assertThat(inData).isGreaterThan(10);
        assertThat(inRecords).isGreaterThan(5);
        assertThat(inBoth > 0).isEqualTo(!hasPrefixed);
    }

    /** What is not listed is not healed, such as damage that has grown since. */
    @Test
    void anotherDamageThanIsListedIsNotHealed() {
        Path table = filled(true);
        disk.flip(table, 100);
        Keyspaces spaces = Keyspaces.of(Model.open(disk));
        assertThat(isReadable(spaces.data(), new byte[] {0})).isFalse();
        Damage damage = spaces.data().damage().getFirst();
        Damage other =
                new Damage(
                        damage.file(), List.of(new KeyRange(new byte[0], null)), damage.newest());
        spaces.data().heal(other);
        spaces.records().heal(damage);
        assertThat(spaces.data().damage()).containsExactly(damage);
        spaces.data().heal(damage);
        assertThat(spaces.data().damage()).isEmpty();
        spaces.data().close();
    }
}
