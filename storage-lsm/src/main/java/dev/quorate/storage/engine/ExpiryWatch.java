package dev.quorate.storage.engine;

import dev.quorate.storage.compaction.Compactor;
import dev.quorate.storage.sstable.SSTable;
import dev.quorate.storage.wal.Delays;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;

/**
 * Determines which tables are worth rewriting for their expired values, and schedules a recheck
 * even if no writes arrive.
 */
final class ExpiryWatch {

    private static final long SHORTEST_WAIT_MILLIS = 1_000;

    /** Bounded because {@code expiredMillis} may jump. */
    private static final long LONGEST_WAIT_MILLIS = 10 * 60 * 1_000;

    private final LiveVersion live;
    private final DamagedTables damaged;
    private final Delays delays;
    private final LongSupplier expiredMillis;
    private final Runnable recheck;
    private final AtomicBoolean waiting = new AtomicBoolean();

    ExpiryWatch(
            LiveVersion live,
            DamagedTables damaged,
            Delays delays,
            LongSupplier expiredMillis,
            Runnable recheck) {
        this.live = live;
        this.damaged = damaged;
        this.delays = delays;
        this.expiredMillis = expiredMillis;
        this.recheck = recheck;
    }

    /**
     * When a table becomes worth rewriting: when half of it has expired and the grace period is
     * over.
     */
    private static long dueMillis(SSTable table) {
        long expired = table.mostlyExpiredAtMillis();
        long latest = SSTable.NEVER - Compactor.EXPIRY_GRACE_MILLIS;
        return expired > latest ? SSTable.NEVER : expired + Compactor.EXPIRY_GRACE_MILLIS;
    }

    /** The numbers of the tables half of whose entries can become tombstones now. */
    Set<Long> mostlyExpired() {
        long now = expiredMillis.getAsLong();
        return live.current().tables().stream()
                .filter(table -> dueMillis(table) <= now)
                .map(table -> table.metadata().number())
                .collect(Collectors.toSet());
    }

    /** Schedules a recheck for when the next table is due, unless none ever is. */
    void scheduleRecheck() {
        long now = expiredMillis.getAsLong();
        long next = SSTable.NEVER;
        boolean any = false;
        for (SSTable table : live.current().tables()) {
            long due = dueMillis(table);
            if (due != SSTable.NEVER && !damaged.numbers().contains(table.metadata().number())) {
                any = true;
                // A table that is due but could not be rewritten is retried after the longest wait.
                next = due > now ? Math.min(next, due) : next;
            }
        }
        if (any && waiting.compareAndSet(false, true)) {
            long wait = Math.clamp(next - now, SHORTEST_WAIT_MILLIS, LONGEST_WAIT_MILLIS);
            delays.runAfter(wait, this::recheck);
        }
    }

    private void recheck() {
        waiting.set(false);
        recheck.run();
    }
}
