package dev.quorate.storage.engine;

import static dev.quorate.storage.engine.Writes.bytes;
import static org.assertj.core.api.Assertions.assertThat;

import dev.quorate.storage.Entry;
import dev.quorate.storage.Holdings;
import dev.quorate.storage.Holdings.Held;
import dev.quorate.storage.Holdings.Place;
import dev.quorate.storage.Holdings.Unread;
import dev.quorate.storage.Lookup;
import dev.quorate.storage.Timestamp;
import dev.quorate.storage.simulated.FaultyDisk;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Holdings list every stored entry of a key and its place, including superseded ones. */
class HoldingsTest {

    private static final byte[] KEY = bytes("key");

    private final FaultyDisk disk = new FaultyDisk();

    private LsmStore open() {
        return LsmStore.open(
                disk,
                Model.DIRECTORY,
                Model.TINY,
                StoreExecutors.inPlace((millis, task) -> {}),
                new StoreClocks(() -> 0, () -> 5_000),
                cause -> {});
    }

    private static Entry value(long clock, String value) {
        return Entry.value(KEY, new Timestamp(clock, 1), bytes(value), 3);
    }

    private static Place table(Held held) {
        assertThat(held.place()).isInstanceOf(Place.Table.class);
        return held.place();
    }

    @Test
    void holdingsListEveryPlace() {
        try (LsmStore store = open()) {
            assertThat(store.holdings(KEY).entries()).isEmpty();
            Entry newest = Entry.tombstone(KEY, new Timestamp(9, 1), 2);
            Entry old = value(5, "old");
            Entry late = Entry.expiring(KEY, new Timestamp(7, 1), bytes("late"), 0, 4_000);
            Writes.write(store, newest).join();
            store.flush();
            Writes.write(store, old).join();
            store.flush();
            Writes.write(store, late).join();

            Holdings holdings = store.holdings(KEY);
            assertThat(holdings.unread()).isEmpty();
            assertThat(holdings.entries()).hasSize(3);
            Held inMemory = holdings.entries().getFirst();
            // As written, although it has expired for readers.
            assertThat(inMemory).isEqualTo(Held.of(late, Place.Active.ACTIVE));
            assertThat(inMemory.valueBytes()).isEqualTo(4);
            assertThat(holdings.entries())
                    .filteredOn(held -> held.place() instanceof Place.Table)
                    .extracting(
                            held ->
                                    Held.of(newest, table(held)).equals(held)
                                            || Held.of(old, table(held)).equals(held))
                    .containsExactly(true, true);
            assertThat(holdings.entries().subList(1, 3))
                    .extracting(Held::place)
                    .doesNotHaveDuplicates();
            assertThat(store.holdings(bytes("other")).entries()).isEmpty();
        }
    }

    @Test
    void tablesAreListedWithTheirLevel() {
        try (LsmStore store = open()) {
            for (int i = 1; i <= 40; i++) {
                Writes.write(store, value(i, "value " + i)).join();
                Writes.put(store, "other " + i, i, new byte[50]).join();
                store.flush();
            }
            assertThat(store.figures().count("compactions")).isPositive();
            Holdings holdings = store.holdings(KEY);
            assertThat(holdings.entries())
                    .anyMatch(
                            held -> held.place() instanceof Place.Table table && table.level() > 0);
            Lookup.Found found = (Lookup.Found) store.lookup(KEY);
            assertThat(holdings.entries())
                    .extracting(Held::timestamp)
                    .contains(found.entry().timestamp());
        }
    }

    @Test
    void damageIsListedBesideTheReadableEntries() {
        try (LsmStore store = open()) {
            Writes.write(store, value(5, "old")).join();
            store.flush();
            Writes.write(store, value(6, "newer")).join();
            store.flush();
        }
        List<Path> tables =
                disk.list(Model.DIRECTORY).stream()
                        .filter(name -> name.endsWith(".sst"))
                        .sorted()
                        .map(Model.DIRECTORY::resolve)
                        .toList();
        assertThat(tables).hasSize(2);
        byte[] damaged = disk.read(tables.getLast());
        damaged[5] ^= 1;
        disk.replace(tables.getLast(), damaged);
        try (LsmStore store = open()) {
            Writes.write(store, value(7, "newest")).join();
            Holdings holdings = store.holdings(KEY);
            assertThat(holdings.entries())
                    .extracting(Held::timestamp)
                    .containsExactly(new Timestamp(7, 1), new Timestamp(5, 1));
            assertThat(holdings.unread()).hasSize(1);
            Unread unread = holdings.unread().getFirst();
            assertThat(unread.newest()).isEqualTo(new Timestamp(6, 1));
            assertThat(unread.place()).isInstanceOf(Place.Table.class);
            assertThat(unread.why()).contains(String.valueOf(tables.getLast().getFileName()));
        }
    }
}
