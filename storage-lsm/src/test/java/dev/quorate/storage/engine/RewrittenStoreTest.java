package dev.quorate.storage.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quorate.storage.Figures;
import dev.quorate.storage.Lookup;
import dev.quorate.storage.simulated.FaultyDisk;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Overwritten entries release their space. */
class RewrittenStoreTest {

    private static final int KEYS = 2_000;
    private static final int VALUE_BYTES = 100;

    @Test
    void tenRewritesOfAllKeysTakeLittleMoreSpaceThanOne() {
        Figures once = write(1);
        Figures tenTimes = write(10);
        assertThat(tenTimes.count("compactions")).isGreaterThan(once.count("compactions"));
        assertThat(tenTimes.value("sstable_size_bytes") / once.value("sstable_size_bytes"))
                .isLessThan(1.3);
    }

    /** Writes all keys in a new order each round, and checks the entries of the last round. */
    private static Figures write(int rounds) {
        Random random = new Random(Long.getLong("quorate.seed", 20_261_121));
        List<Integer> keys = new ArrayList<>();
        for (int key = 0; key < KEYS; key++) {
            keys.add(key);
        }
        try (LsmStore store = Model.open(new FaultyDisk())) {
            for (int round = 1; round <= rounds; round++) {
                Collections.shuffle(keys, random);
                for (int key : keys) {
                    byte[] value = new byte[VALUE_BYTES];
                    random.nextBytes(value);
                    assertThat(Writes.put(store, "key " + key, round, value)).isCompleted();
                }
                store.flush();
            }
            for (int key : keys) {
                Lookup.Found found = (Lookup.Found) store.lookup(Writes.bytes("key " + key));
                assertThat(found.entry().timestamp().hybrid()).isEqualTo(rounds);
            }
            return store.figures().snapshot();
        }
    }
}
