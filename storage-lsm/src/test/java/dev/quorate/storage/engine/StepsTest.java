package dev.quorate.storage.engine;

import static dev.quorate.storage.engine.Writes.bytes;
import static dev.quorate.storage.engine.Writes.write;
import static org.assertj.core.api.Assertions.assertThat;

import dev.quorate.storage.Entry;
import dev.quorate.storage.EntryCursor;
import dev.quorate.storage.Lookup;
import dev.quorate.storage.Timestamp;
import dev.quorate.storage.simulated.FaultyDisk;
import dev.quorate.storage.simulated.FaultyDisk.Keep;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** Entries with a step: ordered by root and step, and as old as their step. */
class StepsTest {

    private static final byte[] KEY = bytes("a");
    private static final Timestamp ROOT = new Timestamp(1_000, 1);

    /** In the order of their timestamps; the third was made last. */
    private static final List<Entry> ASCENDING =
            List.of(
                    Entry.value(KEY, ROOT, bytes("plain"), 3),
                    Entry.tombstone(KEY, ROOT.withStep(1_500), 3),
                    Entry.expiring(KEY, ROOT.withStep(9_000), bytes("conditional"), 3, 77_777),
                    Entry.value(KEY, new Timestamp(1_001, 0), bytes("another root"), 3),
                    Entry.value(KEY, new Timestamp(1_001, 0, 5_000), new byte[40_000], 3));

    private final FaultyDisk disk = new FaultyDisk();

    @Test
    void aConditionalResultComesDirectlyAfterItsRootWhateverTheOrderOfArrival() {
        Random random = new Random(20_261_123);
        for (int round = 0; round < 200; round++) {
            List<Entry> arriving = new ArrayList<>(ASCENDING);
            Collections.shuffle(arriving, random);
            FaultyDisk own = new FaultyDisk();
            Entry newest = arriving.getFirst();
            try (LsmStore store = Model.open(own)) {
                for (Entry entry : arriving) {
                    newest = entry.supersedes(newest) ? entry : newest;
                    assertThat(write(store, entry)).isCompletedWithValue(newest.timestamp());
                    if (random.nextBoolean()) {
                        store.flush();
                    }
                    requireOnly(store, newest);
                }
                store.flush();
                requireOnly(store, newest);
            }
            try (LsmStore store = Model.open(own)) {
                requireOnly(store, ASCENDING.getLast());
            }
        }
    }

    private static void requireOnly(LsmStore store, Entry newest) {
        assertThat(store.lookup(KEY)).isEqualTo(new Lookup.Found(newest));
        assertThat(store.lookupResident(KEY)).isEqualTo(new Lookup.Found(newest));
        try (EntryCursor cursor = store.scan(new byte[0], null)) {
            assertThat(cursor.next()).isTrue();
            assertThat(cursor.timestamp()).isEqualTo(newest.timestamp());
            assertThat(cursor.entry()).isEqualTo(newest);
            assertThat(cursor.next()).isFalse();
        }
    }

    /** The clock is to start after everything that was ever stamped here. */
    @Test
    void theNewestTimestampIsThatOfTheLastStep() {
        LsmStore store = Model.open(disk);
        for (Entry entry : ASCENDING) {
            write(store, entry).join();
        }
        assertThat(store.newestTimestamp()).isEqualTo(new Timestamp(9_000, 1));
        FaultyDisk inLog = disk.afterPowerLoss(Keep.NOTHING, new SplittableRandom(1));
        try (LsmStore again = Model.open(inLog)) {
            assertThat(again.newestTimestamp()).isEqualTo(new Timestamp(9_000, 1));
            again.flush();
        }
        try (LsmStore again = Model.open(inLog)) {
            assertThat(again.newestTimestamp()).isEqualTo(new Timestamp(9_000, 1));
        }
        store.close();
    }

    /** Its root may be of any age: only what was made since the watermark may still be missing. */
    @Test
    void aTombstoneIsDroppedOnceItsStepIsBelowTheWatermark() {
        try (LsmStore store = Model.open(disk)) {
            Entry tombstone = Entry.tombstone(KEY, ROOT.withStep(9_000), 3);
            write(store, Entry.value(KEY, ROOT, bytes("v"), 3)).join();
            write(store, tombstone).join();
            store.flush();
            store.collectTombstones(new Timestamp(8_999, -1));
            requireOnly(store, tombstone);
            store.collectTombstones(new Timestamp(9_000, 1));
            assertThat(store.lookup(KEY)).isEqualTo(Lookup.Absent.ABSENT);
            assertThat(store.figures().count("tombstones")).isZero();
        }
    }

    @Test
    void aTombstoneWithAYoungRootShadowsWhatAnOlderRootMadeLater() {
        try (LsmStore store = Model.open(disk)) {
            Entry tombstone = Entry.tombstone(KEY, new Timestamp(2_000, 1), 3);
            write(store, tombstone).join();
            store.flush();
            write(store, Entry.value(KEY, ROOT.withStep(2_500), bytes("v"), 3)).join();
            requireOnly(store, tombstone);
            // The value is in the memtable: dropped, the tombstone would not shadow it any more.
            store.collectTombstones(new Timestamp(2_100, -1));
            requireOnly(store, tombstone);
            store.flush();
            // Merged with it, the tombstone is not needed any more.
            assertThat(store.lookup(KEY)).isEqualTo(Lookup.Absent.ABSENT);
        }
    }
}
