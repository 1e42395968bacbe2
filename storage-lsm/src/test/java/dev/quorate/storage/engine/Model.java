package dev.quorate.storage.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quorate.storage.Entry;
import dev.quorate.storage.EntryCursor;
import dev.quorate.storage.KeyOrder;
import dev.quorate.storage.KeyValueStore;
import dev.quorate.storage.Lookup;
import dev.quorate.storage.StorageException;
import dev.quorate.storage.StorageOptions;
import dev.quorate.storage.Timestamp;
import dev.quorate.storage.WriteCompletion;
import dev.quorate.storage.io.StorageFiles;
import dev.quorate.storage.memtable.MemtableMemory;
import dev.quorate.storage.simulated.FaultyDisk;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The required contents of a store: for each key the newest acknowledged entry, or a newer one with
 * an unknown outcome. Used by one thread.
 */
final class Model {

    static final Path DIRECTORY = Path.of("/store");

    /** So small that a few hundred writes flush and compact many times. */
    static final StorageOptions TINY =
            StorageOptions.defaults()
                    .withMemtableBytes(4096)
                    .withSegmentBytes(8192)
                    .withBlockBytes(256)
                    .withMaxQueuedBytes(1 << 20)
                    .withReservedDiskBytes(0)
                    .withCompactionBytesPerSecond(0)
                    .withScrubMillis(0);

    private static final int KEYS = 40;
    private static final byte[] PROBE = bytes("a probe");

    private final TreeMap<byte[], Entry> acknowledged = new TreeMap<>(Arrays::compareUnsigned);
    private final Set<Entry> undecided = new HashSet<>();
    private final List<StorageException> failures = new ArrayList<>();
    private Timestamp newest = Timestamp.ZERO;
    private long clock = 1_000;
    private long wallMillis = 1_000_000;

    /** The watermark: no later write is as old. */
    private long floor;

    private Timestamp collected = Timestamp.ZERO;

    /** Of each key the newest entry that was ever drawn, to be replaced on condition. */
    private final TreeMap<byte[], Timestamp> latest = new TreeMap<>(Arrays::compareUnsigned);

    /** Timestamps are unique: two entries with the same one would have to be equal. */
    private int stamps;

    static LsmStore open(StorageFiles files) {
        return open(files, TINY, StoreExecutors.inPlace((millis, task) -> {}));
    }

    static LsmStore open(StorageFiles files, StorageOptions options, StoreExecutors executors) {
        return LsmStore.open(
                files, DIRECTORY, options, executors, new StoreClocks(() -> 0), cause -> {});
    }

    static LsmStore open(
            StorageFiles files, StoreExecutors executors, CompactionRunner.Shape shape) {
        return LsmStore.open(
                new StoreRuntime(
                        files, DIRECTORY, TINY, executors, new StoreClocks(() -> 0), cause -> {}),
                shape,
                new MemtableMemory(MemtableMemory.Allocator.SYSTEM));
    }

    /** A store that applies expiry by the model's wall clock. */
    LsmStore openWithWallClock(
            StorageFiles files, StorageOptions options, StoreExecutors executors) {
        return LsmStore.open(
                files,
                DIRECTORY,
                options,
                executors,
                new StoreClocks(() -> 0, () -> wallMillis),
                cause -> {});
    }

    /** Advances the wall clock, sometimes beyond the grace period of expired values. */
    void passWallTime(SplittableRandom random) {
        wallMillis += random.nextInt(4) == 0 ? 700_000 : random.nextInt(2_000);
    }

    /** A put that has expired already, or expires soon or much later; with a unique timestamp. */
    Entry randomExpiringEntry(SplittableRandom random) {
        Entry entry = randomEntry(random);
        byte[] value = new byte[random.nextInt(200)];
        long expiresAt = wallMillis + random.nextInt(-500, random.nextBoolean() ? 2_000 : 900_000);
        return Entry.expiring(entry.key(), entry.timestamp(), value, 3, expiresAt)
                .withContentType(random.nextInt(3) == 0 ? "text/plain" : null);
    }

    /** A put, a delete, either of them late, or conditional, at random. */
    Entry randomEntry(SplittableRandom random) {
        byte[] key = bytes("key %02d".formatted(random.nextInt(KEYS)));
        clock += 10;
        long late = random.nextInt(5) == 0 ? random.nextInt(500) : 0;
        Timestamp timestamp =
                random.nextInt(4) == 0
                        ? conditional(key, random)
                        : drawn(key, new Timestamp(Math.max(clock - late, floor + 1), ++stamps));
        if (random.nextInt(6) == 0) {
            return Entry.tombstone(key, timestamp, 3);
        }
        byte[] value = new byte[random.nextInt(random.nextInt(8) == 0 ? 2_000 : 200)];
        random.nextBytes(value);
        return Entry.value(key, timestamp, value, 3);
    }

    /**
     * The timestamp of a conditional write. Its root is that of the newest entry of the key,
     * whatever its age; or one above the watermark, which nothing as old can follow.
     */
    private Timestamp conditional(byte[] key, SplittableRandom random) {
        Timestamp replaced = latest.get(key);
        if (replaced == null || random.nextInt(4) == 0) {
            replaced = new Timestamp(random.nextLong(floor + 1, clock + 1), ++stamps);
        }
        clock = Math.max(clock, replaced.madeAt()) + 1;
        return drawn(key, replaced.withStep(clock));
    }

    private Timestamp drawn(byte[] key, Timestamp timestamp) {
        latest.merge(key, timestamp, (a, b) -> b.isAfter(a) ? b : a);
        return timestamp;
    }

    /** A delete, perhaps late. */
    Entry randomTombstone(SplittableRandom random) {
        Entry entry = randomEntry(random);
        return Entry.tombstone(entry.key(), entry.timestamp(), 3);
    }

    /** A put as late as the watermark allows, often shadowed by a tombstone. */
    Entry randomLateEntry(SplittableRandom random) {
        List<Entry> deleted =
                acknowledged.values().stream()
                        .filter(each -> each.isTombstone() && each.timestamp().hybrid() > floor + 1)
                        .toList();
        byte[] key = randomEntry(random).key();
        long before = clock + 1;
        if (!deleted.isEmpty()) {
            Entry tombstone = deleted.get(random.nextInt(deleted.size()));
            key = tombstone.key();
            before = tombstone.timestamp().hybrid();
        }
        Timestamp timestamp = new Timestamp(random.nextLong(floor + 1, before), ++stamps);
        drawn(key, timestamp);
        return Entry.value(key, timestamp, new byte[random.nextInt(100)], 3);
    }

    /** Writes an entry; its completion updates the model. */
    void write(KeyValueStore store, Entry entry) {
        undecided.add(entry);
        store.write(
                entry,
                new WriteCompletion() {
                    @Override
                    public void stored(Timestamp held) {
                        acknowledge(entry);
                        Entry best = acknowledged.get(entry.key());
                        assertThat(held).isGreaterThanOrEqualTo(best.timestamp());
                    }

                    @Override
                    public void failed(StorageException cause) {
                        // The outcome remains unknown.
                        failures.add(cause);
                    }
                });
    }

    /** Allows dropping older tombstones, or all of them, and raises the watermark. */
    void collect(KeyValueStore store, SplittableRandom random) {
        collect(store, clock - random.nextInt(random.nextBoolean() ? 1 : 600));
    }

    private void collect(KeyValueStore store, long upTo) {
        floor = Math.max(floor, upTo);
        Timestamp watermark = new Timestamp(upTo, -1);
        if (watermark.isAfter(collected)) {
            collected = watermark;
        }
        store.collectTombstones(watermark);
    }

    /** Allows dropping every tombstone. */
    void collectAll(KeyValueStore store) {
        collect(store, clock);
    }

    private void acknowledge(Entry entry) {
        assertThat(undecided.remove(entry)).as("completed once").isTrue();
        remember(entry);
    }

    private void remember(Entry entry) {
        acknowledged.merge(
                entry.key(), entry, (held, added) -> added.supersedes(held) ? added : held);
        if (entry.timestamp().ceiling().isAfter(newest)) {
            newest = entry.timestamp().ceiling();
        }
    }

    int acknowledged() {
        return acknowledged.size();
    }

    List<StorageException> failures() {
        return failures;
    }

    /** Compares every kind of read with the model. */
    void check(KeyValueStore store) {
        TreeMap<byte[], Entry> scanned = new TreeMap<>(Arrays::compareUnsigned);
        try (EntryCursor cursor = store.scan(new byte[0], null)) {
            byte[] last = new byte[0];
            while (cursor.next()) {
                Entry entry = cursor.entry();
                assertThat(Arrays.compareUnsigned(last, entry.key())).isNegative();
                last = entry.key();
                scanned.put(entry.key(), entry);
            }
        }
        assertThat(descending(store)).containsExactlyElementsOf(scanned.values());
        for (int i = 0; i < KEYS; i++) {
            byte[] key = bytes("key %02d".formatted(i));
            Entry found = find(store.lookup(key));
            checkAllowed(key, found);
            assertThat(scanned.get(key)).isEqualTo(found);
            assertThat(find(store.lookupResident(key))).isEqualTo(found);
            scanned.remove(key);
        }
        scanned.remove(PROBE);
        assertThat(scanned).isEmpty();
        assertThat(store.newestTimestamp()).isGreaterThanOrEqualTo(newest);
    }

    private void checkAllowed(byte[] key, @Nullable Entry found) {
        Entry expected = acknowledged.get(key);
        if (found == null ? mayBeGone(key, expected) : found.equals(asOfNow(expected))) {
            return;
        }
        // Only a newer entry with an unknown outcome may be found instead.
        assertThat(found).as("acknowledged: %s", expected).isNotNull();
        assertThat(undecided.stream().map(this::asOfNow))
                .as("found %s, acknowledged %s", found, expected)
                .contains(found);
        assertThat(expected == null || found.supersedes(expected)).isTrue();
    }

    /** Whether the key may be absent because its tombstone may have been dropped. */
    private boolean mayBeGone(byte[] key, @Nullable Entry expected) {
        return expected == null
                || isDroppable(expected)
                || undecided.stream()
                        .anyMatch(
                                each ->
                                        Arrays.equals(each.key(), key)
                                                && isDroppable(each)
                                                && each.supersedes(expected));
    }

    private boolean isDroppable(Entry entry) {
        return entry.asOf(wallMillis).isTombstone()
                && !entry.timestamp().ceiling().isAfter(collected);
    }

    private @Nullable Entry asOfNow(@Nullable Entry entry) {
        return entry == null ? null : entry.asOf(wallMillis);
    }

    /** What a descending scan returns, in reverse. */
    private static List<Entry> descending(KeyValueStore store) {
        List<Entry> contents = new ArrayList<>();
        try (EntryCursor cursor = store.scan(new byte[0], null, KeyOrder.DESCENDING)) {
            while (cursor.next()) {
                contents.add(cursor.entry());
            }
        }
        return contents.reversed();
    }

    private static List<Entry> contents(KeyValueStore store) {
        List<Entry> contents = new ArrayList<>();
        try (EntryCursor cursor = store.scan(new byte[0], null)) {
            while (cursor.next()) {
                contents.add(cursor.entry());
            }
        }
        return contents;
    }

    static @Nullable Entry find(Lookup lookup) {
        return switch (lookup) {
            case Lookup.Found(Entry entry) -> entry;
            case Lookup.Absent absent -> null;
            case Lookup.NotResident later -> throw new AssertionError("not resident");
        };
    }

    /**
     * Opens the store after a power loss, checks it, writes to it, and repeats this: the result of
     * recovery must be permanent.
     */
    void checkOpens(FaultyDisk disk) {
        LsmStore first = open(disk);
        check(first);
        List<Entry> seen = contents(first);
        Entry probe = Entry.value(PROBE, new Timestamp(clock + 1, 9), new byte[77], 1);
        boolean[] told = new boolean[1];
        first.write(
                probe,
                new WriteCompletion() {
                    @Override
                    public void stored(Timestamp held) {
                        told[0] = true;
                    }

                    @Override
                    public void failed(StorageException cause) {
                        throw cause;
                    }
                });
        assertThat(told[0]).isTrue();
        FaultyDisk again = disk.afterPowerLoss(FaultyDisk.Keep.NOTHING, new SplittableRandom(0));
        try (LsmStore second = open(again)) {
            check(second);
            assertThat(find(second.lookup(PROBE))).isEqualTo(probe);
            List<Entry> seenAgain = contents(second);
            seenAgain.remove(probe);
            assertThat(seenAgain).as("recovered entries remain").isEqualTo(seen);
        }
        assertThat(again.openFiles()).isZero();
        first.close();
        assertThat(disk.openFiles()).isZero();
    }

    /**
     * Opens the store after a kill, reads it, and loses power. Entries that were read may have been
     * in the page cache alone and must remain. The disk is full, so that the log is not flushed to
     * a table.
     */
    void checkReadsStay(FaultyDisk killed) {
        killed.setCapacity(1);
        ShuffledTasks none = new ShuffledTasks(new SplittableRandom(0));
        LsmStore first = open(killed, TINY, none.executors());
        check(first);
        List<Entry> seen = contents(first);
        FaultyDisk again = killed.afterPowerLoss(FaultyDisk.Keep.NOTHING, new SplittableRandom(0));
        try (LsmStore second = open(again)) {
            check(second);
            assertThat(contents(second)).as("entries that were read remain").isEqualTo(seen);
        }
    }

    /**
     * Checks a store and records the result: an entry with an unknown outcome that was read must
     * exist from now on.
     */
    void checkAndRemember(KeyValueStore store) {
        check(store);
        for (Entry entry : contents(store)) {
            if (undecided.contains(entry)) {
                remember(entry);
            }
        }
    }

    static String text(byte[] bytes) {
        return new String(bytes, StandardCharsets.UTF_8);
    }

    static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
