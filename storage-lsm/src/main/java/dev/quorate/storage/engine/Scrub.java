package dev.quorate.storage.engine;

import dev.quorate.storage.StorageException;
import dev.quorate.storage.sstable.SSTable;
import dev.quorate.storage.wal.Delays;
import dev.quorate.storage.wal.SerialTask;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Reads every byte of every table once in an interval, one table after the other with pauses
 * between, so that damage is found while other replicas still have what it destroyed, and not when
 * the last of them is read.
 *
 * <p>Where it stands is a function of the wall clock: within each interval the tables come in the
 * order of their numbers, each at the part of the interval that it is of all bytes. So a store that
 * is opened anew every day does not begin with the first table every day, and nothing is written
 * down. What the clock or new tables skip is read an interval later.
 */
final class Scrub {

    private static final long SHORTEST_PAUSE_MILLIS = 1_000;
    private static final long LONGEST_PAUSE_MILLIS = 10 * 60 * 1_000;

    private final LiveVersion live;
    private final long intervalMillis;
    private final LongSupplier wallMillis;
    private final Delays delays;
    private final Runnable onDamage;
    private final SerialTask task;
    private final LongAdder bytes = new LongAdder();
    private final LongAdder found = new LongAdder();

    /** Where it stood last, in milliseconds of the interval; of the task alone. */
    private long position;

    /**
     * @param intervalMillis 0 for never
     * @param onDamage told when a table has become suspect
     */
    Scrub(
            LiveVersion live,
            long intervalMillis,
            LongSupplier wallMillis,
            Delays delays,
            Executor background,
            Runnable onDamage) {
        this.live = live;
        this.intervalMillis = intervalMillis;
        this.wallMillis = wallMillis;
        this.delays = delays;
        this.onDamage = onDamage;
        this.task = new SerialTask(background, this::run);
    }

    void start() {
        if (intervalMillis > 0) {
            position = wallMillis.getAsLong() % intervalMillis;
            goOnLater();
        }
    }

    private void goOnLater() {
        long pause =
                Math.clamp(
                        intervalMillis / (live.current().tables().size() + 1),
                        SHORTEST_PAUSE_MILLIS,
                        LONGEST_PAUSE_MILLIS);
        delays.runAfter(pause, task::schedule);
    }

    private void run() {
        try (LiveVersion.Retained retained = live.retain()) {
            long now = wallMillis.getAsLong() % intervalMillis;
            SSTable due = firstDue(retained.version().tables(), now);
            if (due != null) {
                check(due);
            }
            goOnLater();
        } catch (StorageException.Closed over) {
            // So is this.
        }
    }

    /** The first table whose turn came since the last look; what else is due has to wait for it. */
    private @Nullable SSTable firstDue(List<SSTable> tables, long now) {
        List<SSTable> inOrder =
                tables.stream()
                        .sorted(Comparator.comparingLong(table -> table.metadata().number()))
                        .toList();
        double total = inOrder.stream().mapToLong(table -> table.metadata().fileBytes()).sum();
        double before = 0;
        long from = position;
        for (SSTable table : inOrder) {
            long turn = (long) (intervalMillis * (before / total));
            before += table.metadata().fileBytes();
            boolean isDue = from <= now ? turn >= from && turn < now : turn >= from;
            if (isDue) {
                position = turn + 1;
                return table;
            }
        }
        position = from <= now ? now : 0;
        return null;
    }

    private void check(SSTable table) {
        try {
            table.verify();
        } catch (StorageException damage) {
            table.suspect(damage);
            found.increment();
            onDamage.run();
        }
        bytes.add(table.metadata().fileBytes());
    }

    /** Bytes read since opening. */
    long bytes() {
        return bytes.sum();
    }

    /** How often a table was found damaged. */
    long found() {
        return found.sum();
    }

    void stop() {
        Failures.await(task.stop());
    }
}
