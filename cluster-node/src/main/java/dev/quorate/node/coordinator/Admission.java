package dev.quorate.node.coordinator;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;

/**
 * How many operations of one kind may be under way: as many as end in a third of the time that each
 * may take, at the pace at which they end now. More would only wait, and then be too late.
 *
 * <p>By Little's law what is under way, over the pace, is how long a newcomer waits. A pace says
 * what the node can do only while there is more to do than it does; so nothing is limited before
 * there has been too much for {@link #TICKS} ticks on end: a burst after quiet is none of that.
 *
 * <p>Safe for use by many threads, but for {@link #tick}, which one calls at a time.
 */
final class Admission {

    /** How often {@link #tick} is to be called. */
    static final Duration TICK = Duration.ofMillis(50);

    /** The pace is that of so many ticks. A shorter time is a burst, a collection, a slow flush. */
    static final int TICKS = 10;

    /** As few as that are always let in: how else would it be seen that the node is well again? */
    static final int LEAST = 64;

    private static final long TICKS_PER_SECOND = Duration.ofSeconds(1).dividedBy(TICK);

    private final int most;
    private final double allowedSeconds;

    /** Counters rather than one that goes up and down: the second is what the pace is made of. */
    private final AtomicLong begun = new AtomicLong();

    private final AtomicLong ended = new AtomicLong();

    private volatile int limit;

    // Of whoever ticks: how many ended in each of the last ticks, a ring.
    private final long[] endings = new long[TICKS];
    private int ticks;
    private int ticksOfTooMuch;
    private long endedBefore;

    /**
     * An admission that lets in all but what is more than {@code most}.
     *
     * @param timeout how long one operation may take
     */
    Admission(int most, Duration timeout) {
        this.most = most;
        this.allowedSeconds = timeout.toNanos() / 3e9;
        this.limit = most;
    }

    /** Lets one more in, which has to {@link #end}; or returns false. */
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

    /** Whether one more would be let in now: a look, not a promise. */
    boolean hasRoom() {
        return underway() < limit;
    }

    int underway() {
        // In this order: one that begins and ends in between must not make it negative.
        long over = ended.get();
        return (int) (begun.get() - over);
    }

    int limit() {
        return limit;
    }

    /** Looks at what has ended since the last time, and sets the limit. */
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
        // Once it limits it goes on until there is much less than it lets in: else what it holds
        // back would flood in at every other tick.
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
