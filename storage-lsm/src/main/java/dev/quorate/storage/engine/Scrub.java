package dev.quorate.storage.engine;

import dev.quorate.storage.Figures;
import dev.quorate.storage.StorageException;
import dev.quorate.storage.sstable.SSTable;
import dev.quorate.storage.wal.Delays;
import dev.quorate.storage.wal.SerialTask;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Reads and verifies every byte of every table once per interval, one table at a time with pauses
 * between them, so that damage in cold data is found while other replicas still have intact copies.
 *
 * <p>Its position is a function of the wall clock: each interval reads the tables by number, each
 * at an offset proportional to the bytes before it. So a store that restarts every day does not
 * restart with the first table, and the position needs no persistence. Tables that a clock jump or
 * a new table skips are read in the next interval.
 */
final class Scrub {

    private static final long SHORTEST_PAUSE_MILLIS = 1_000;
    private static final long LONGEST_PAUSE_MILLIS = 10 * 60 * 1_000;

    private final LiveVersion live;

    /** 0 disables scrubbing. */
    private final long intervalMillis;

    private final LongSupplier wallMillis;
    private final Delays delays;
    private final Runnable onDamage;
    private final SerialTask task;
    private final LongAdder bytes = new LongAdder();
    private final LongAdder found = new LongAdder();

    /** The last position, in milliseconds of the interval; used by the task alone. */
    private long position;

    /**
     * @param onDamage called when a table has become suspect
     */
    Scrub(StoreRuntime runtime, LiveVersion live, Runnable onDamage) {
        this.live = live;
        this.intervalMillis = runtime.options().scrubMillis();
        this.wallMillis = runtime.clocks().wallMillis();
        this.delays = runtime.executors().delays();
        this.onDamage = onDamage;
        this.task = new SerialTask(runtime.executors().background(), this::run);
    }

    void start() {
        if (intervalMillis > 0) {
            position = wallMillis.getAsLong() % intervalMillis;
            scheduleNext();
        }
    }

    private void scheduleNext() {
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
            scheduleNext();
        } catch (StorageException.Closed over) {
            // The store is closed, so the scrub ends.
        }
    }

    /** The first table due since the last run; other due tables wait for the next run. */
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
            found.increment();
            onDamage.run();
        }
        bytes.add(table.metadata().fileBytes());
    }

    void register(Figures figures) {
        figures.counter("scrubbed_bytes", "Bytes of tables read only to verify them.", bytes::sum);
    }

    /** The number of times that a table was found damaged. */
    long found() {
        return found.sum();
    }

    void stop() {
        Failures.await(task.stop());
    }
}
