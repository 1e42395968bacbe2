package dev.quorate.storage.engine;

import dev.quorate.storage.sstable.SSTable;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/**
 * Has the tables look again, every second, which of their pages are in memory. Pages leave when
 * memory is short, and a reader that may not wait for the disk would do so unknowingly.
 */
final class ResidencyAge {

    private static final long MAX_NANOS = 1_000_000_000;

    private final LongSupplier nanoClock;
    private final AtomicLong lookedAt;

    ResidencyAge(LongSupplier nanoClock) {
        this.nanoClock = nanoClock;
        this.lookedAt = new AtomicLong(nanoClock.getAsLong());
    }

    /** To be called before what is remembered is relied on. */
    void check(SuperVersion version) {
        long now = nanoClock.getAsLong();
        long seen = lookedAt.get();
        if (now - seen >= MAX_NANOS && lookedAt.compareAndSet(seen, now)) {
            version.tables().forEach(SSTable::forgetResidency);
        }
    }
}
