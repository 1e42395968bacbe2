package dev.quorate.router.coordinator.admission;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Limits the operations of one kind in progress to the number that completes within a third of the
 * operation timeout at the current throughput. More would only queue, and then time out.
 *
 * <p>By Little's law, operations in progress divided by throughput is the time that a new one
 * waits. Throughput measures what the node can do only while it is saturated; so the limit applies
 * after the node has been saturated for {@link #TICKS} consecutive ticks, and not to a burst after
 * quiet.
 *
 * <p>Thread-safe, except {@link #tick}, which one thread calls at a time.
 */
public final class Admission {

    /** How often {@link #tick} is to be called. */
    public static final Duration TICK = Duration.ofMillis(50);

    /**
     * How many ticks throughput is averaged over. A shorter time would measure a burst, a garbage
     * collection or a slow flush.
     */
    public static final int TICKS = 10;

    /** The lowest limit, so that a recovery of the node shows. */
    static final int LEAST = 64;

    private static final long TICKS_PER_SECOND = Duration.ofSeconds(1).dividedBy(TICK);

    private final int most;
    private final double allowedSeconds;

    /** Two counters rather than a difference: the second gives the throughput. */
    private final AtomicLong begun = new AtomicLong();

    private final AtomicLong ended = new AtomicLong();

    private volatile int limit;

    // Used by tick() only: how many ended in each of the last ticks, a ring buffer.
    private final long[] endings = new long[TICKS];
    private int ticks;
    private int ticksOfTooMuch;
    private long endedBefore;

    /**
     * Creates an admission that only limits to {@code most}, until the first {@link #tick}s.
     *
     * @param timeout how long one operation may take
     */
    Admission(int most, Duration timeout) {
        this.most = most;
        this.allowedSeconds = timeout.toNanos() / 3e9;
        this.limit = most;
    }

    /** Admits an operation, which must {@link #end}; false if the limit is reached. */
    boolean tryBegin() {
        if (begun.getAndIncrement() - ended.get() < limit) {
            return true;
        }
        begun.decrementAndGet();
        return false;
    }

    void end() {
        ended.incrementAndGet();
    }

    /** Whether an operation would be admitted now; not a reservation. */
    boolean hasRoom() {
        return underway() < limit;
    }

    int underway() {
        // In this order: an operation that begins and ends in between must not make it negative.
        long over = ended.get();
        return (int) (begun.get() - over);
    }

    int limit() {
        return limit;
    }

    /** Measures what has ended since the last tick, and sets the limit. */
    void tick() {
        long now = ended.get();
        long done = now - endedBefore;
        endedBefore = now;
        int waiting = underway();
        if (waiting == 0) {
            ticks = 0;
            ticksOfTooMuch = 0;
            limit = most;
            return;
        }
        endings[ticks++ % TICKS] = done;
        long inTime = Math.max(LEAST, (long) (perSecond() * allowedSeconds));
        // Hysteresis: the limit stays until far fewer are in progress than it admits; otherwise the
        // backlog would flood in at every other tick.
        boolean isLimiting = limit < most;
        boolean isTooMuch = waiting > inTime || (isLimiting && waiting > limit / 2);
        ticksOfTooMuch = isTooMuch ? ticksOfTooMuch + 1 : 0;
        limit = ticksOfTooMuch >= TICKS ? (int) Math.min(most, inTime) : most;
    }

    private double perSecond() {
        int counted = Math.min(ticks, TICKS);
        long sum = 0;
        for (int i = 0; i < counted; i++) {
            sum += endings[i];
        }
        return (double) (sum * TICKS_PER_SECOND) / counted;
    }
}
