package dev.quorate.storage.sstable;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.quorate.storage.Entry;
import dev.quorate.storage.EntryCursor;
import dev.quorate.storage.StorageOptions;
import dev.quorate.storage.Timestamp;
import dev.quorate.storage.format.Crc32c;
import dev.quorate.storage.io.StorageFiles;
import dev.quorate.storage.sstable.file.TableFormat;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.NavigableMap;
import java.util.Random;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Fixtures of table tests: seeds, random entries, tables of given entries. */
public final class Tables {

    public static final Path DIRECTORY = Path.of("/store");

    private Tables() {}

    /** A new seed for each run, or that of {@code -Dquorate.seed=}; printed. */
    public static long seed(String test) {
        Long given = Long.getLong("quorate.seed");
        long seed = given != null ? given : System.nanoTime();
        System.out.println(test + ": -Dquorate.seed=" + seed);
        return seed;
    }

    public static byte[] bytes(String text) {
        return text.getBytes(UTF_8);
    }

    public static Entry value(String key, long clock, String value) {
        return Entry.value(bytes(key), new Timestamp(clock, 1), bytes(value), 3);
    }

    public static Entry tombstone(String key, long clock) {
        return Entry.tombstone(bytes(key), new Timestamp(clock, 1), 3);
    }

    /** A random key that is often adjacent to, a prefix of, or an extension of another. */
    public static byte[] randomKey(Random random) {
        byte[] key =
                switch (random.nextInt(4)) {
                    case 0 -> bytes("user:" + random.nextInt(2000));
                    case 1 -> bytes("k" + "\u0000".repeat(random.nextInt(5)) + random.nextInt(3));
                    case 2 -> bytes("x".repeat(1 + random.nextInt(40)) + random.nextInt(10));
                    default -> {
                        byte[] any = new byte[1 + random.nextInt(4)];
                        random.nextBytes(any);
                        yield any;
                    }
                };
        if (random.nextInt(20) == 0) {
            key[random.nextInt(key.length)] = (byte) random.nextInt();
        }
        return key;
    }

    /** A timestamp with this root, sometimes with a step after it. */
    public static Timestamp randomTimestamp(Random random, long hybrid, int node) {
        Timestamp root = new Timestamp(hybrid, node);
        long step = hybrid + 1 + random.nextInt(100);
        boolean hasStep = random.nextInt(4) == 0 && Timestamp.isStep(hybrid, step);
        return hasStep ? root.withStep(step) : root;
    }

    public static Entry randomEntry(Random random, byte[] key) {
        Timestamp timestamp = randomTimestamp(random, random.nextLong(), random.nextInt(5));
        int from = random.nextInt(256);
        if (random.nextInt(6) == 0) {
            return Entry.tombstone(key, timestamp, from);
        }
        byte[] value = new byte[randomLength(random)];
        random.nextBytes(value);
        Entry entry =
                random.nextInt(6) == 0
                        ? Entry.expiring(key, timestamp, value, from, 1 + random.nextInt(1 << 30))
                        : Entry.value(key, timestamp, value, from);
        return random.nextInt(6) == 0
                ? entry.withContentType("t".repeat(1 + random.nextInt(255)))
                : entry;
    }

    private static int randomLength(Random random) {
        int shape = random.nextInt(1000);
        if (shape == 0) {
            return 10_000 + random.nextInt(60_000);
        }
        return shape < 50 ? random.nextInt(5000) : random.nextInt(120);
    }

    /** A map for the newest entry of each key. */
    public static NavigableMap<byte[], Entry> newModel() {
        return new TreeMap<>(Arrays::compareUnsigned);
    }

    public static void put(NavigableMap<byte[], Entry> model, Entry entry) {
        model.merge(entry.key(), entry, (held, added) -> added.supersedes(held) ? added : held);
    }

    public static NavigableMap<byte[], Entry> randomModel(Random random, int entries) {
        NavigableMap<byte[], Entry> model = newModel();
        while (model.size() < entries) {
            put(model, randomEntry(random, randomKey(random)));
        }
        return model;
    }

    public static TableMetadata write(
            StorageFiles files,
            long number,
            int level,
            StorageOptions options,
            Iterable<Entry> entries) {
        TableWriter writer = new TableWriter(files, DIRECTORY, number, level, options);
        entries.forEach(writer::add);
        return writer.finish();
    }

    public static List<Entry> drain(EntryCursor cursor) {
        List<Entry> entries = new ArrayList<>();
        try (cursor) {
            while (cursor.next()) {
                entries.add(cursor.entry());
            }
        }
        return entries;
    }

    public static List<Entry> range(
            NavigableMap<byte[], Entry> model, byte[] start, byte @Nullable [] end) {
        if (end == null) {
            return List.copyOf(model.tailMap(start).values());
        }
        return Arrays.compareUnsigned(start, end) >= 0
                ? List.of()
                : List.copyOf(model.subMap(start, end).values());
    }

    /** Recomputes the checksum of the section of a table's file at {@code offset}. */
    static void reseal(byte[] file, int offset, int length, long tableNumber) {
        int end = offset + length - TableFormat.CHECKSUM_BYTES;
        int checksum = Crc32c.of(file, offset, end);
        TableFormat.ARRAY_INT.set(file, end, TableFormat.seal(checksum, tableNumber, offset));
    }
}
