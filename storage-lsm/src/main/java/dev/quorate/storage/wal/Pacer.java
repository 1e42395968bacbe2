package dev.quorate.storage.wal;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;

/**
 * Throttles a task to a rate without blocking a thread. After each step the task must pause for as
 * long as the step's bytes take at the rate, and is then woken.
 *
 * <p>Used by one task. Only the end of a pause runs on another thread; it does not read the clock,
 * so no clock can stop a task forever. No pause exceeds one second.
 */
public final class Pacer {

    /** Number of full groups per second while writes are throttled: each pause is short. */
    private static final int THROTTLED_GROUPS_PER_SECOND = 200;

    private static final int MIN_GROUP_BYTES = 4096;

    /** The rate of a task that is not throttled. */
    public static final long UNLIMITED = Long.MAX_VALUE;

    /** The resolution of a timer: shorter pauses are carried over. */
    private static final long GRAIN_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

    private static final long MAX_SAVED_NANOS = TimeUnit.MILLISECONDS.toNanos(5);
    private static final long LONGEST_PAUSE_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final Delays delays;
    private final LongSupplier nanoClock;
    private final Runnable wake;
    private final LongAdder pausedNanos = new LongAdder();
    private volatile boolean pausing;

    // Used by the task alone.
    private long debtNanos;
    private long updatedAt;
    private long pausedAt;
    private boolean paused;

    /**
     * @param wake schedules the task
     */
    public Pacer(Delays delays, LongSupplier nanoClock, Runnable wake) {
        this.delays = delays;
        this.nanoClock = nanoClock;
        this.wake = wake;
        this.updatedAt = nanoClock.getAsLong();
    }

    /**
     * Whether the task must pause now. If so, it is woken at the end of the pause; calls before
     * then return true.
     */
    public boolean mustPause() {
        if (pausing) {
            return true;
        }
        long now = update();
        if (paused) {
            paused = false;
            pausedNanos.add(now - pausedAt);
            debtNanos = Math.min(debtNanos, GRAIN_NANOS - 1);
        }
        if (debtNanos < GRAIN_NANOS) {
            return false;
        }
        pausing = true;
        paused = true;
        pausedAt = now;
        delays.runAfter(TimeUnit.NANOSECONDS.toMillis(debtNanos), this::endPause);
        return true;
    }

    private void endPause() {
        pausing = false;
        wake.run();
    }

    private long update() {
        long now = nanoClock.getAsLong();
        debtNanos = Math.max(-MAX_SAVED_NANOS, debtNanos - (now - updatedAt));
        updatedAt = now;
        return now;
    }

    /** Records that the task has processed {@code bytes}, at a rate of {@code bytesPerSecond}. */
    public void spent(long bytes, long bytesPerSecond) {
        update();
        if (bytesPerSecond == UNLIMITED) {
            debtNanos = Math.min(debtNanos, 0);
        } else {
            double debt = (double) debtNanos + bytes * 1e9 / bytesPerSecond;
            debtNanos = (long) Math.min((double) LONGEST_PAUSE_NANOS, debt);
        }
    }

    /** The total length of all finished pauses, in nanoseconds. */
    public long pausedNanos() {
        return pausedNanos.sum();
    }

    /**
     * Maximum bytes of a group; few while writes are throttled, since a pause follows each group.
     */
    static int groupBytes(long bytesPerSecond) {
        long bytes = Math.max(MIN_GROUP_BYTES, bytesPerSecond / THROTTLED_GROUPS_PER_SECOND);
        return (int) Math.min(bytes, WriteAheadLog.MAX_GROUP_BYTES);
    }
}
