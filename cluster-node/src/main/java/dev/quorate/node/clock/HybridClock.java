package dev.quorate.node.clock;

import dev.quorate.node.runtime.Ticker;
import dev.quorate.storage.Timestamp;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Stamps writes: follows the wall clock where it can, never goes back, and never gives the same
 * stamp twice.
 *
 * <p>A stamp is later than every stamp given before and than every timestamp {@linkplain #observe
 * observed} before. Within one millisecond a counter of 16 bits tells stamps apart; when it
 * overflows, the carry moves the clock to the next millisecond, ahead of the wall, instead of
 * waiting for it. This is the clock of Kulkarni et al., <i>Logical Physical Clocks</i> (2014), kept
 * in one word.
 *
 * <p>Two limits keep it honest. It stamps no later than a bound that was made durable beforehand
 * ({@link ClockReservation}), so that a restart cannot repeat a stamp, whatever the wall clock does
 * meanwhile. And it does not follow anyone further than {@code maxAhead} ahead of its own wall
 * clock, so that one wrong clock does not carry away the others.
 *
 * <p>Lock-free; safe for use by many threads.
 */
public final class HybridClock {

    private static final int COUNTER_BITS = 16;
    private static final long NO_LIMIT = -1; // the largest number, unsigned

    private final Ticker ticker;
    private final int node;
    private final long maxAheadMillis;

    /** The latest stamp given or timestamp observed, unsigned. Only grows. */
    private final AtomicLong latest;

    /** No stamp is given beyond this, unsigned. Only grows. */
    private volatile long limit;

    private HybridClock(Ticker ticker, int node, long startAfter, Duration maxAhead, long limit) {
        this.ticker = ticker;
        this.node = node;
        this.latest = new AtomicLong(startAfter);
        this.maxAheadMillis = maxAhead.toMillis();
        this.limit = limit;
    }

    /**
     * A clock that begins anew with each process, for simulations and tests. A node's clock comes
     * from {@link ClockReservation#open}.
     *
     * @param node what to break ties with: {@code Member.number()}
     */
    public static HybridClock volatileClock(Ticker ticker, int node, Duration maxAhead) {
        return new HybridClock(ticker, node, 0, maxAhead, NO_LIMIT);
    }

    /** A clock that stamps nothing before {@link #allowUpTo} is called. */
    static HybridClock reserved(Ticker ticker, int node, long startAfter, Duration maxAhead) {
        return new HybridClock(ticker, node, startAfter, maxAhead, 0);
    }

    /**
     * A stamp later than all before; null if that would pass the durable bound, which happens only
     * while the disk that renews it hangs. Does not wait for it: the caller refuses the write.
     */
    public @Nullable Timestamp next() {
        long wall = wall();
        while (true) {
            long last = latest.get();
            long stamp = max(wall, last + 1);
            if (Long.compareUnsigned(stamp, limit) > 0) {
                return null;
            }
            if (latest.compareAndSet(last, stamp)) {
                return new Timestamp(stamp, node);
            }
        }
    }

    /**
     * Moves the clock so that it stamps later than {@code hybrid} from now on.
     *
     * @param hybrid another node's {@link #reading}, or the clock part of a timestamp
     * @return false, and nothing is moved, if that is too far ahead of the wall clock
     */
    public boolean observe(long hybrid) {
        long last = latest.get();
        while (Long.compareUnsigned(hybrid, last) > 0) {
            if (aheadMillis(hybrid) > maxAheadMillis) {
                return false;
            }
            if (latest.compareAndSet(last, hybrid)) {
                return true;
            }
            last = latest.get();
        }
        return true;
    }

    /**
     * As {@link #observe(long)}, for a stamp that comes from a client, and follows half as far:
     * otherwise a client could move this clock to where a peer, whose wall clock is a little
     * behind, no longer follows it.
     */
    public boolean observeFromClient(Timestamp timestamp) {
        boolean seen = Long.compareUnsigned(timestamp.hybrid(), reading()) <= 0;
        return seen
                || (aheadMillis(timestamp.hybrid()) <= maxAheadMillis / 2 && observe(timestamp));
    }

    /** As {@link #observe(long)}, with the clock part of a timestamp. */
    public boolean observe(Timestamp timestamp) {
        return observe(timestamp.hybrid());
    }

    /**
     * What the clock shows, which every message to another node carries. At or after every stamp
     * that was given; not itself a stamp.
     */
    public long reading() {
        return max(wall(), latest.get());
    }

    /**
     * The latest stamp given or reading observed. Unlike what the clock shows, it does not follow
     * the wall clock, and so does not go back with it either.
     */
    public long latest() {
        return latest.get();
    }

    /** This node has numbered something else by counting on from {@link #latest}: so far. */
    public void countedTo(long number) {
        if (Long.compareUnsigned(number, latest.get()) > 0) {
            latest.accumulateAndGet(number, HybridClock::max);
        }
    }

    /** What the clock shows, in milliseconds since 1970. */
    public long readingMillis() {
        return reading() >>> COUNTER_BITS;
    }

    /** How far {@code hybrid} is ahead of this machine's wall clock, in milliseconds. */
    public long aheadMillis(long hybrid) {
        return (hybrid >>> COUNTER_BITS) - ticker.wallMillis();
    }

    /** How far ahead of the wall clock this clock follows others, in milliseconds. */
    public long maxAheadMillis() {
        return maxAheadMillis;
    }

    /** The bound up to which stamps may be given has been made durable. */
    void allowUpTo(long bound) {
        if (Long.compareUnsigned(bound, limit) > 0) {
            limit = bound;
        }
    }

    /**
     * Stamps no more, for good.
     *
     * @return a bound that no stamp has passed
     */
    long stop() {
        limit = 0;
        // A stamp that is being taken has seen the old limit and the latest stamp before this one:
        // it finds this one in its place, looks again, and sees the new limit.
        return latest.updateAndGet(last -> max(wall(), last + 1));
    }

    /** How many milliseconds of stamps the durable bound still allows. */
    long remainingMillis() {
        return (limit >>> COUNTER_BITS) - (reading() >>> COUNTER_BITS);
    }

    private long wall() {
        // A wall clock before 1970 is a broken one: the counter carries the clock on.
        return Math.max(0, ticker.wallMillis()) << COUNTER_BITS;
    }

    /** The larger of two, unsigned. */
    public static long max(long a, long b) {
        return Long.compareUnsigned(a, b) >= 0 ? a : b;
    }
}
