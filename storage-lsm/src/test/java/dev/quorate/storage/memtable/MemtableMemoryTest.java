package dev.quorate.storage.memtable;

import static dev.quorate.storage.sstable.Tables.bytes;
import static dev.quorate.storage.sstable.Tables.drain;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.quorate.storage.Entry;
import dev.quorate.storage.EntryCursor;
import dev.quorate.storage.StorageException;
import dev.quorate.storage.Timestamp;
import dev.quorate.storage.sstable.SSTable;
import dev.quorate.storage.sstable.Tables;
import java.util.ArrayList;
import java.util.List;
import java.util.NavigableMap;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** How much memory a memtable takes, that it gives it back, and what happens if there is none. */
class MemtableMemoryTest {

    private static final long MIB = 1 << 20;

    private final AtomicInteger left = new AtomicInteger(Integer.MAX_VALUE);
    private final MemtableMemory memory =
            new MemtableMemory(
                    (arena, bytes) -> {
                        if (left.getAndDecrement() <= 0) {
                            left.incrementAndGet();
                            throw new OutOfMemoryError("none left");
                        }
                        return MemtableMemory.Allocator.SYSTEM.allocate(arena, bytes);
                    });

    private static void put(Memtable table, String key, long clock, int valueBytes) {
        byte[] value = new byte[valueBytes];
        table.put(
                Entry.value(bytes(key), new Timestamp(clock, 1), value, 3),
                SSTable.hash(bytes(key)));
    }

    @Test
    void anEmptyMemtableHasNoMemoryAndASmallOneLittle() {
        try (Memtable table =
                new Memtable(memory, new KeyPrefixes(bytes("prefix"), new byte[0]), 1_000_000)) {
            assertThat(memory.arenas()).isZero();
            assertThat(table.get(bytes("key"), 5)).isNull();
            assertThat(drain(table.scan(new byte[0], null))).isEmpty();
            assertThat(memory.bytes()).isZero();
            put(table, "key", 1, 100);
            assertThat(memory.arenas()).isEqualTo(1);
            assertThat(memory.bytes()).isLessThan(16 << 10);
            assertThat(table.bytes()).isLessThan(1024);
        }
        assertThat(memory.arenas()).isZero();
        assertThat(memory.bytes()).isZero();
    }

    /** The memory of a store is bounded by what {@code bytes} counts. */
    @Test
    void littleMoreIsAllocatedThanIsCounted() {
        try (Memtable table = new Memtable(memory, KeyPrefixes.UNKNOWN, 0)) {
            for (int i = 0; table.bytes() < 16 * MIB; i++) {
                put(table, "key " + i, 1, i % 200);
                assertThat(table.allocatedBytes()).isEqualTo(memory.bytes());
                assertThat(memory.bytes() - table.bytes())
                        .isBetween(0L, Math.max(16 << 10, table.bytes() / 3));
            }
            assertThat(memory.bytes()).isLessThan(18 * MIB);
        }
        assertThat(memory.bytes()).isZero();
    }

    /** For a node with a key of 16 bytes and a value of 100. */
    @Test
    void anEntryOf116BytesTakesAbout200() {
        int keys = 60_000;
        try (Memtable table =
                new Memtable(memory, new KeyPrefixes(bytes("key:"), new byte[0]), keys)) {
            for (int i = 0; i < keys; i++) {
                put(table, "key:%012d".formatted(i), 1, 100);
            }
            assertThat((double) table.bytes() / keys).isBetween(190.0, 230.0);
        }
    }

    @Test
    void aValueOfAnySizeTakesItsOwnSize() {
        try (Memtable table = new Memtable(memory, KeyPrefixes.UNKNOWN, 0)) {
            long clock = 0;
            for (int size :
                    new int[] {65_000, 66_000, 300_000, 1 << 20, 16 << 20, (16 << 20) + 1}) {
                long before = memory.bytes();
                byte[] value = new byte[size];
                new Random(size).nextBytes(value);
                byte[] key = bytes("key of " + size);
                Entry entry = Entry.value(key, new Timestamp(++clock, 1), value, 3);
                table.put(entry, SSTable.hash(key));
                assertThat(memory.bytes() - before).isLessThan(size + 300_000L);
                assertThat(table.bytes()).isBetween((long) size, memory.bytes());
                assertThat(table.get(key, SSTable.hash(key))).isEqualTo(entry);
            }
            // Replaced by one that fits, which changes nothing, and by one that does not.
            long before = memory.bytes();
            put(table, "key of 1048576", ++clock, (1 << 20) - 100);
            put(table, "key of 16777216", ++clock, 1000);
            put(table, "key of 16777216", ++clock, 16 << 20);
            assertThat(memory.bytes() - before).isLessThan(2 * MIB);
        }
        assertThat(memory.bytes()).isZero();
    }

    /** Every allocation fails once: the put throws, and changes neither contents nor order. */
    @Test
    void aPutWithoutMemoryChangesNothing() {
        Random random = new Random(Tables.seed("aPutWithoutMemoryChangesNothing"));
        NavigableMap<byte[], Entry> model = Tables.newModel();
        try (Memtable table = new Memtable(memory, KeyPrefixes.UNKNOWN, 0)) {
            int failures = 0;
            for (int i = 0; i < 30_000; i++) {
                byte[] key = bytes("key " + random.nextInt(20_000));
                byte[] value = new byte[random.nextInt(20) == 0 ? 5_000 : 50];
                Entry entry = Entry.value(key, new Timestamp(i + 1, 1), value, 3);
                long bytes = memory.bytes();
                left.set(0);
                try {
                    table.put(entry, SSTable.hash(key));
                } catch (StorageException.Overloaded e) {
                    failures++;
                    assertThat(memory.bytes()).isEqualTo(bytes);
                    assertThat(table.get(key, SSTable.hash(key))).isEqualTo(model.get(key));
                    assertThat(memory.isShort()).isTrue();
                    // Each of the allocations of one put fails in turn.
                    int enough = 1;
                    while (!isPut(table, entry, enough)) {
                        failures++;
                        enough++;
                    }
                }
                Tables.put(model, entry);
            }
            left.set(Integer.MAX_VALUE);
            assertThat(failures).isGreaterThan(30);
            assertThat(memory.isShort()).isFalse();
            assertThat(drain(table.scan(new byte[0], null)))
                    .containsExactlyElementsOf(model.values());
            assertThat(table.entries()).isEqualTo(model.size());
        }
        assertThat(memory.arenas()).isZero();
        assertThat(memory.bytes()).isZero();
    }

    private boolean isPut(Memtable table, Entry entry, int allocations) {
        left.set(allocations);
        try {
            table.put(entry, SSTable.hash(entry.key()));
            return true;
        } catch (StorageException.Overloaded e) {
            return false;
        }
    }

    /** A bug of whoever counts the references must not become a read of foreign memory. */
    @Test
    void aReadAfterTheCloseFails() {
        Memtable table = new Memtable(memory, KeyPrefixes.UNKNOWN, 0);
        put(table, "key", 1, 100);
        EntryCursor cursor = table.scan(new byte[0], null);
        table.close();
        assertThatThrownBy(() -> table.get(bytes("key"), SSTable.hash(bytes("key"))))
                .isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(cursor::next).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(table::close).isInstanceOf(IllegalStateException.class);
        assertThat(table.entries()).isEqualTo(1);
        assertThat(memory.arenas()).isZero();
    }

    @Test
    void pinnedMemoryIsCountedUntilItIsFreed() {
        List<String> events = new ArrayList<>();
        memory.onFree(() -> events.add(memory.pinnedBytes() + " pinned"));
        Memtable table = new Memtable(memory, KeyPrefixes.UNKNOWN, 0);
        put(table, "key", 1, 100);
        table.pin();
        assertThat(memory.pinnedBytes()).isEqualTo(memory.bytes()).isPositive();
        table.close();
        assertThat(events).containsExactly("0 pinned");
    }
}
