package dev.quorate.storage.engine;

import static dev.quorate.storage.engine.Writes.bytes;
import static dev.quorate.storage.engine.Writes.put;
import static org.assertj.core.api.Assertions.assertThat;

import dev.quorate.storage.Lookup;
import dev.quorate.storage.simulated.FaultyDisk;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class ResidencyAgeTest {

    private final FaultyDisk disk = new FaultyDisk();
    private final AtomicLong clock = new AtomicLong();

    /** Otherwise a selector thread would wait for the disk after a page was evicted. */
    @Test
    void evictedPagesAreDetectedWithinASecond() {
        StoreExecutors inPlace = StoreExecutors.inPlace((millis, task) -> {});
        try (LsmStore store =
                LsmStore.open(
                        disk,
                        Model.DIRECTORY,
                        Model.TINY,
                        inPlace,
                        new StoreClocks(clock::get),
                        cause -> {})) {
            put(store, "key", 1, "value").join();
            store.flush();
            assertThat(store.lookupResident(bytes("key"))).isInstanceOf(Lookup.Found.class);
            disk.setResident(false);
            clock.set(1_000_000_000);
            assertThat(store.lookupResident(bytes("key")))
                    .isEqualTo(Lookup.NotResident.NOT_RESIDENT);
            assertThat(store.lookup(bytes("key"))).isInstanceOf(Lookup.Found.class);
            disk.setResident(true);
            assertThat(store.lookupResident(bytes("key"))).isInstanceOf(Lookup.Found.class);
        }
    }
}
