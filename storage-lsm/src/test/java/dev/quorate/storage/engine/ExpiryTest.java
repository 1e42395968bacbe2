package dev.quorate.storage.engine;

import static dev.quorate.storage.engine.Writes.bytes;
import static org.assertj.core.api.Assertions.assertThat;

import dev.quorate.storage.Entry;
import dev.quorate.storage.EntryCursor;
import dev.quorate.storage.KeyValueStore;
import dev.quorate.storage.Lookup;
import dev.quorate.storage.Timestamp;
import dev.quorate.storage.compaction.Compactor;
import dev.quorate.storage.simulated.FaultyDisk;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/**
 * An expired entry is a tombstone to every reader, wherever it is stored, and shadows older ones.
 */
class ExpiryTest {

    private final FaultyDisk files = new FaultyDisk();
    private final AtomicLong wallMillis = new AtomicLong(1_000);

    private final List<Runnable> delayed = new ArrayList<>();

    private LsmStore open() {
        return LsmStore.open(
                files,
                Model.DIRECTORY,
                Model.TINY,
                StoreExecutors.inPlace((millis, task) -> delayed.add(task)),
                new StoreClocks(() -> 0, wallMillis::get),
                cause -> {});
    }

    private static Timestamp stamp(long clock) {
        return new Timestamp(clock, 1);
    }

    private static Entry brief(String key, long clock, long expiresAtMillis) {
        return Entry.expiring(bytes(key), stamp(clock), bytes("x".repeat(50)), 3, expiresAtMillis);
    }

    private static Entry tombstone(String key, long clock) {
        return Entry.tombstone(bytes(key), stamp(clock), 3);
    }

    private static void requireFound(KeyValueStore store, Entry expected) {
        assertThat(store.lookup(expected.key())).isEqualTo(new Lookup.Found(expected));
        assertThat(store.lookupResident(expected.key())).isEqualTo(new Lookup.Found(expected));
    }

    private static List<Entry> everything(KeyValueStore store) {
        List<Entry> entries = new ArrayList<>();
        try (EntryCursor cursor = store.scan(new byte[0], null)) {
            while (cursor.next()) {
                entries.add(cursor.entry());
            }
        }
        return entries;
    }

    @Test
    void aValueIsATombstoneFromItsExpiryOn() {
        Entry entry = brief("a", 7, 2_000);
        try (LsmStore store = open()) {
            Writes.write(store, entry).join();
            for (String place : List.of("memtable", "table")) {
                wallMillis.set(1_999);
                requireFound(store, entry);
                assertThat(everything(store)).as(place).containsExactly(entry);
                wallMillis.set(2_000);
                requireFound(store, tombstone("a", 7));
                assertThat(everything(store)).as(place).containsExactly(tombstone("a", 7));
                store.flush();
            }
        }
        // The log and the tables store the expiry.
        wallMillis.set(1_999);
        try (LsmStore store = open()) {
            requireFound(store, entry);
            wallMillis.set(2_000);
            requireFound(store, tombstone("a", 7));
        }
    }

    @Test
    void anExpiredEntryShadowsOlderEntriesOnly() {
        try (LsmStore store = open()) {
            Writes.put(store, "a", 1, "older").join();
            store.flush();
            Writes.write(store, brief("a", 5, 2_000)).join();
            store.flush();
            wallMillis.set(5_000);
            Writes.put(store, "a", 3, "late").join();
            requireFound(store, tombstone("a", 5));
            assertThat(everything(store)).containsExactly(tombstone("a", 5));
            Writes.put(store, "a", 6, "newer").join();
            requireFound(store, Entry.value(bytes("a"), stamp(6), bytes("newer"), 3));
        }
    }

    @Test
    void aScanAppliesOneTime() {
        try (LsmStore store = open()) {
            Writes.write(store, brief("a", 1, 2_000)).join();
            Writes.write(store, brief("b", 2, 2_000)).join();
            try (EntryCursor cursor = store.scan(new byte[0], null)) {
                assertThat(cursor.next()).isTrue();
                wallMillis.set(9_000);
                assertThat(cursor.next()).isTrue();
                assertThat(cursor.entry()).isEqualTo(brief("b", 2, 2_000));
            }
        }
    }

    @Test
    void compactionReplacesAnExpiredValueByATombstone() {
        try (LsmStore store = open()) {
            for (int i = 0; i < 200; i++) {
                Writes.write(store, brief("key " + i, 1_000 + i, 2_000)).join();
            }
            store.flush();
            // Expired, but within the grace period: a temporarily wrong clock does no harm.
            wallMillis.set(2_000 + Compactor.EXPIRY_GRACE_MILLIS - 1);
            compactEverything(store, 10_000);
            wallMillis.set(1_999);
            requireFound(store, brief("key 7", 1_007, 2_000));

            wallMillis.set(2_000 + Compactor.EXPIRY_GRACE_MILLIS);
            compactEverything(store, 20_000);
            wallMillis.set(1_999);
            requireFound(store, tombstone("key 7", 1_007));
            assertThat(store.figures().count("tombstones")).isEqualTo(200);
        }
    }

    @Test
    void aMostlyExpiredTableIsRewrittenWithoutWrites() {
        long tableBytes;
        try (LsmStore store = open()) {
            for (int i = 0; i < 200; i++) {
                Writes.write(store, brief("key " + i, 1_000 + i, 2_000)).join();
                if (i % 3 == 0) {
                    Writes.put(store, "stays " + i, 1_000 + i, "v").join();
                }
            }
            compactEverything(store, 10_000);
            Writes.write(store, brief("in level 0", 20_000, 3_000)).join();
            store.flush();
            assertThat(store.figures().count("sstables_level_zero")).isEqualTo(1);
            assertThat(delayed).as("one recheck for all tables").hasSize(1);
            tableBytes = store.figures().count("sstable_size_bytes");
            wallMillis.set(2_000 + Compactor.EXPIRY_GRACE_MILLIS - 1);
            passTime();
            assertThat(store.figures().count("tombstones")).isZero();
            wallMillis.set(2_000 + Compactor.EXPIRY_GRACE_MILLIS);
            passTime();
            assertThat(store.figures().count("tombstones")).isEqualTo(200);
            assertThat(store.figures().count("sstable_size_bytes")).isLessThan(tableBytes / 2);
            assertThat(store.figures().count("sstables_level_zero")).as("not yet").isEqualTo(1);
        }
        // The tables store their marks, so a reopening loses nothing.
        delayed.clear();
        wallMillis.set(2_999 + Compactor.EXPIRY_GRACE_MILLIS);
        try (LsmStore store = open()) {
            assertThat(store.figures().count("sstables_level_zero")).isEqualTo(1);
            wallMillis.set(3_000 + Compactor.EXPIRY_GRACE_MILLIS);
            passTime();
            assertThat(store.figures().count("sstables_level_zero")).isZero();
            requireFound(store, tombstone("in level 0", 20_000));
            requireFound(store, tombstone("key 7", 1_007));
            assertThat(delayed).as("nothing is left that could expire").isEmpty();
        }
    }

    private void passTime() {
        List<Runnable> due = List.copyOf(delayed);
        delayed.clear();
        due.forEach(Runnable::run);
    }

    /** Flushes tables of the whole range until level 0 has been merged into the levels below. */
    private static void compactEverything(LsmStore store, long clock) {
        long before = store.figures().count("compactions");
        for (int i = 0; store.figures().count("compactions") == before; i++) {
            assertThat(i).isLessThan(20);
            Writes.put(store, "a first key", clock + 2L * i, "v").join();
            Writes.put(store, "z last key", clock + 2L * i + 1, "v").join();
            store.flush();
        }
    }

    @Test
    void replicasConvergeOnTheSameExpiry() {
        List<Entry> rivals =
                List.of(
                        tombstone("a", 1),
                        brief("a", 1, 10),
                        brief("a", 1, 20),
                        brief("a", 1, Long.MAX_VALUE),
                        Entry.value(bytes("a"), stamp(1), bytes("x".repeat(50)), 3));
        for (int i = 0; i < rivals.size(); i++) {
            for (int j = 0; j < rivals.size(); j++) {
                assertThat(Integer.signum(rivals.get(i).compareAge(rivals.get(j))))
                        .isEqualTo(Integer.compare(j, i));
            }
        }
    }
}
