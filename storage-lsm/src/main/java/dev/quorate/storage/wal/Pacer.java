package dev.quorate.storage.wal;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;

/**
 * Holds a task to a rate without a thread that waits. What the task has done is paid for in time
 * afterwards: until then the task is told to go no further, and is woken when it may.
 *
 * <p>Used by one task. Only the end of a pause comes from elsewhere, and it ends the pause whatever
 * the clock says, so that no clock can hold a task for ever. No pause is longer than a second.
 */
public final class Pacer {

    /** The rate of a task that is not held back. */
    public static final long UNLIMITED = Long.MAX_VALUE;

    /** Less than what a timer can tell is carried over, either way. */
    private static final long GRAIN_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

    private static final long MAX_SAVED_NANOS = TimeUnit.MILLISECONDS.toNanos(5);
    private static final long LONGEST_PAUSE_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final double NANOS_PER_SECOND = 1e9;

    private final Delays delays;
    private final LongSupplier nanoClock;
    private final Runnable wake;
    private final LongAdder pausedNanos = new LongAdder();
    private volatile boolean pausing;

    // Of the task alone.
    private long owedNanos;
    private long settledAt;
    private long pausedAt;
    private boolean paused;

    /**
     * @param wake schedules the task
     */
    public Pacer(Delays delays, LongSupplier nanoClock, Runnable wake) {
        this.delays = delays;
        this.nanoClock = nanoClock;
        this.wake = wake;
        this.settledAt = nanoClock.getAsLong();
    }

    /**
     * Whether the task must not go on now. Then it is woken when it may; if it comes earlier, for
     * whatever reason, it is told the same.
     */
    public boolean holdsBack() {
        if (pausing) {
            return true;
        }
        long now = settle();
        if (paused) {
            paused = false;
            pausedNanos.add(now - pausedAt);
            owedNanos = Math.min(owedNanos, GRAIN_NANOS - 1);
        }
        if (owedNanos < GRAIN_NANOS) {
            return false;
        }
        pausing = true;
        paused = true;
        pausedAt = now;
        delays.runAfter(TimeUnit.NANOSECONDS.toMillis(owedNanos), this::endPause);
        return true;
    }

    private void endPause() {
        pausing = false;
        wake.run();
    }

    private long settle() {
        long now = nanoClock.getAsLong();
        owedNanos = Math.max(-MAX_SAVED_NANOS, owedNanos - (now - settledAt));
        settledAt = now;
        return now;
    }

    /** The task has done so much, at so many bytes a second. */
    public void spent(long bytes, long bytesPerSecond) {
        settle();
        if (bytesPerSecond == UNLIMITED) {
            owedNanos = Math.min(owedNanos, 0);
        } else {
            double owed = (double) owedNanos + bytes * NANOS_PER_SECOND / bytesPerSecond;
            owedNanos = (long) Math.min((double) LONGEST_PAUSE_NANOS, owed);
        }
    }

    /** The length of all pauses that are over, in nanoseconds. */
    public long pausedNanos() {
        return pausedNanos.sum();
    }
}
