package dev.quorate.storage.engine;

import dev.quorate.storage.sstable.SSTable;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/**
 * Discards, every second, the record of which pages of the tables are in memory. The kernel evicts
 * pages, and a reader that must not wait for the disk would otherwise block on one.
 */
final class ResidencyAge {

    private static final long MAX_NANOS = 1_000_000_000;

    private final LongSupplier nanoClock;
    private final AtomicLong checkedAt;

    ResidencyAge(LongSupplier nanoClock) {
        this.nanoClock = nanoClock;
        this.checkedAt = new AtomicLong(nanoClock.getAsLong());
    }

    /** Call before relying on recorded residency. */
    void check(SuperVersion version) {
        long now = nanoClock.getAsLong();
        long seen = checkedAt.get();
        if (now - seen >= MAX_NANOS && checkedAt.compareAndSet(seen, now)) {
            version.tables().forEach(SSTable::forgetResidency);
        }
    }
}
