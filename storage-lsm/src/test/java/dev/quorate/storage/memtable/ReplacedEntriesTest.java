package dev.quorate.storage.memtable;

import static dev.quorate.storage.sstable.Tables.bytes;
import static org.assertj.core.api.Assertions.assertThat;

import dev.quorate.storage.Entry;
import dev.quorate.storage.EntryCursor;
import dev.quorate.storage.Scale;
import dev.quorate.storage.Timestamp;
import dev.quorate.storage.sstable.SSTable;
import dev.quorate.storage.sstable.Tables;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The memory of replaced entries is reused while others read it. */
class ReplacedEntriesTest {

    private static final int READERS = 3;

    private final MemtableMemory memory = new MemtableMemory(MemtableMemory.Allocator.SYSTEM);
    private final Memtable memtable = new Memtable(memory, KeyPrefixes.UNKNOWN, 0);

    @AfterEach
    void close() {
        memtable.close();
        assertThat(memory.bytes()).isZero();
    }

    private void put(Entry entry) {
        memtable.put(entry, SSTable.hash(entry.key()));
    }

    private static byte[] key(int number) {
        return bytes("key " + number);
    }

    /** The entry follows from its key and clock, so that a mix of two entries is recognised. */
    private static Entry entry(int number, long clock, int minBytes, int maxBytes) {
        SplittableRandom random = new SplittableRandom(clock * 31 + number);
        Timestamp root = new Timestamp(clock, random.nextInt());
        Timestamp timestamp =
                random.nextInt(3) == 0 ? root.withStep(clock + random.nextLong(1, 1L << 60)) : root;
        int from = random.nextInt(256);
        if (random.nextInt(8) == 0) {
            return Entry.tombstone(key(number), timestamp, from);
        }
        byte[] value = new byte[random.nextInt(minBytes, maxBytes + 1)];
        random.nextBytes(value);
        long expiry = random.nextInt(4) == 0 ? random.nextLong(1, Long.MAX_VALUE) : Entry.NEVER;
        String type =
                random.nextInt(4) == 0 ? Long.toString(clock).repeat(1 + random.nextInt(12)) : null;
        return Entry.expiring(key(number), timestamp, value, from, expiry).withContentType(type);
    }

    /**
     * A reader that did not check the entry again after copying it would return parts of two, also
     * of two keys.
     */
    @ParameterizedTest
    @CsvSource({"1, 0, 64", "2, 1000, 1000", "8, 0, 5000", "3, 60000, 70000"})
    void aReadReturnsOneEntryWhole(int keys, int minBytes, int maxBytes) throws Exception {
        long seed = Tables.seed("aReadReturnsOneEntryWhole");
        int puts = Scale.of(maxBytes < 10_000 ? 5_000_000 : 200_000, 10);
        AtomicBoolean done = new AtomicBoolean();
        try (ExecutorService executor = Executors.newFixedThreadPool(READERS)) {
            List<Future<Void>> readers = new ArrayList<>();
            for (int i = 0; i < READERS; i++) {
                Random random = new Random(seed + i);
                readers.add(executor.submit(reader(random, keys, minBytes, maxBytes, done)));
            }
            Random random = new Random(seed);
            try {
                for (int clock = 1; clock <= puts; clock++) {
                    put(entry(random.nextInt(keys), clock, minBytes, maxBytes));
                }
            } finally {
                done.set(true);
            }
            for (Future<Void> reader : readers) {
                reader.get();
            }
        }
        // Enough for what is current, what is free and of another size, and the indexes.
        assertThat(memtable.bytes()).isLessThan(64L * (maxBytes + 100) + 20_000);
    }

    private Callable<Void> reader(
            Random random, int keys, int minBytes, int maxBytes, AtomicBoolean done) {
        long[] seen = new long[keys];
        return () -> {
            while (!done.get()) {
                int number = random.nextInt(keys);
                Entry found = null;
                if (random.nextInt(4) > 0) {
                    found = memtable.get(key(number), SSTable.hash(key(number)));
                } else {
                    try (EntryCursor cursor = memtable.scan(key(number), null)) {
                        if (cursor.next() && Arrays.equals(cursor.key(), key(number))) {
                            found = cursor.entry();
                        }
                    }
                }
                if (found != null) {
                    long clock = found.timestamp().hybrid();
                    assertThat(clock).isGreaterThanOrEqualTo(seen[number]);
                    seen[number] = clock;
                    Entry expected = entry(number, clock, minBytes, maxBytes);
                    assertThat(found.equals(expected)).as("%s, %s", found, expected).isTrue();
                }
            }
            return null;
        };
    }

    /** Otherwise overwriting a few keys would fill the memtable, and flush it again and again. */
    @Test
    void overwritingKeysNeedsNoMoreMemory() {
        int keys = 2_000;
        long afterTwoRounds = 0;
        for (int round = 1; round <= 50; round++) {
            for (int number = 0; number < keys; number++) {
                put(Entry.value(key(number), new Timestamp(round, 1), new byte[100], 3));
            }
            if (round == 2) {
                afterTwoRounds = memtable.bytes();
            }
        }
        assertThat(memtable.bytes()).isEqualTo(afterTwoRounds);
    }

    /** Sizes that come in any order: what is free serves other keys. */
    @Test
    void valuesOfAnySizeReuseMemory() {
        Random random = new Random(Tables.seed("valuesOfAnySizeReuseMemory"));
        int keys = 500;
        int maxBytes = 2_000;
        for (int clock = 1; clock <= 200_000; clock++) {
            byte[] value = new byte[random.nextInt(maxBytes)];
            put(Entry.value(key(random.nextInt(keys)), new Timestamp(clock, 1), value, 3));
        }
        assertThat(memtable.bytes()).isLessThan(4L * keys * maxBytes / 2);
    }

    /** Late entries change nothing, whatever they weigh. */
    @Test
    void anEntryThatIsSupersededTakesNoMemory() {
        put(Entry.value(key(1), new Timestamp(5, 1), new byte[10], 3));
        long before = memtable.bytes();
        put(Entry.value(key(1), new Timestamp(4, 1), new byte[100_000], 3));
        assertThat(memtable.bytes()).isEqualTo(before);
    }
}
