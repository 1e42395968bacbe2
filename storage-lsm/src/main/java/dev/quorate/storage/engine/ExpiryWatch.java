package dev.quorate.storage.engine;

import dev.quorate.storage.compaction.Compactor;
import dev.quorate.storage.sstable.SSTable;
import dev.quorate.storage.wal.Delays;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongSupplier;

/**
 * Knows which tables are worth rewriting for what has expired in them, and sees to it that this is
 * looked at though nothing is written any more.
 */
final class ExpiryWatch {

    private static final long SHORTEST_WAIT_MILLIS = 1_000;

    /** The moment may advance by leaps, so it is asked for again. */
    private static final long LONGEST_WAIT_MILLIS = 10 * 60 * 1_000;

    private final LiveVersion live;
    private final DamagedTables damaged;
    private final Delays delays;
    private final LongSupplier expiredMillis;
    private final Runnable look;
    private final AtomicBoolean waiting = new AtomicBoolean();

    ExpiryWatch(
            LiveVersion live,
            DamagedTables damaged,
            Delays delays,
            LongSupplier expiredMillis,
            Runnable look) {
        this.live = live;
        this.damaged = damaged;
        this.delays = delays;
        this.expiredMillis = expiredMillis;
        this.look = look;
    }

    /** When it is worth rewriting a table, given that expired values are kept for a while. */
    private static long dueMillis(SSTable table) {
        long expired = table.mostlyExpiredAtMillis();
        long latest = SSTable.NEVER - Compactor.EXPIRY_GRACE_MILLIS;
        return expired > latest ? SSTable.NEVER : expired + Compactor.EXPIRY_GRACE_MILLIS;
    }

    /** The numbers of the tables of which half can be turned to tombstones now. */
    Set<Long> mostlyExpired() {
        long now = expiredMillis.getAsLong();
        Set<Long> numbers = new HashSet<>();
        for (SSTable table : live.current().tables()) {
            if (dueMillis(table) <= now) {
                numbers.add(table.metadata().number());
            }
        }
        return numbers;
    }

    /** Sees to a look at the time when the next table is due, unless no table ever is. */
    void lookAgainLater() {
        long now = expiredMillis.getAsLong();
        long next = SSTable.NEVER;
        boolean any = false;
        for (SSTable table : live.current().tables()) {
            long due = dueMillis(table);
            if (due != SSTable.NEVER && !damaged.numbers().contains(table.metadata().number())) {
                any = true;
                // What is due already and could not be done is for the longest wait.
                next = due > now ? Math.min(next, due) : next;
            }
        }
        if (any && waiting.compareAndSet(false, true)) {
            long wait = Math.clamp(next - now, SHORTEST_WAIT_MILLIS, LONGEST_WAIT_MILLIS);
            delays.runAfter(wait, this::lookNow);
        }
    }

    private void lookNow() {
        waiting.set(false);
        look.run();
    }
}
