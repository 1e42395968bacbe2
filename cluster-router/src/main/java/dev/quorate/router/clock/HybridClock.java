package dev.quorate.router.clock;

import dev.quorate.router.runtime.Ticker;
import dev.quorate.storage.Timestamp;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Stamps writes: follows the wall clock, but never goes back and never returns the same timestamp
 * twice.
 *
 * <p>A timestamp is later than all earlier ones and all {@linkplain #observe observed} ones. Within
 * one millisecond a counter of 16 bits distinguishes timestamps; when it overflows, the carry
 * advances the clock to the next millisecond, ahead of the wall clock. This is the clock of
 * Kulkarni et al., <i>Logical Physical Clocks</i> (2014), in one 64-bit word.
 *
 * <p>It has two limits. It stamps up to a bound that was made durable beforehand ({@link
 * #allowUpTo}), so that a restart cannot repeat a timestamp, whatever the wall clock does
 * meanwhile. And it follows other clocks only up to {@code maxAhead} ahead of its own wall clock,
 * so that one wrong clock does not advance all others.
 *
 * <p>Lock-free and thread-safe.
 */
public final class HybridClock {

    private static final int COUNTER_BITS = 16;
    private static final long NO_LIMIT = -1; // the largest number, unsigned

    private final Ticker ticker;
    private final int node;
    private final long maxAheadMillis;

    /** The latest timestamp issued or observed, unsigned. Only grows. */
    private final AtomicLong latest;

    /** No timestamp is issued beyond this, unsigned. Only grows. */
    private volatile long limit;

    private HybridClock(Ticker ticker, int node, long startAfter, Duration maxAhead, long limit) {
        this.ticker = ticker;
        this.node = node;
        this.latest = new AtomicLong(startAfter);
        this.maxAheadMillis = maxAhead.toMillis();
        this.limit = limit;
    }

    /**
     * A clock without a durable bound, for simulations and tests. A node's clock is {@linkplain
     * #reserved reserved}.
     *
     * @param node breaks ties: {@code Member.number()}
     */
    public static HybridClock volatileClock(Ticker ticker, int node, Duration maxAhead) {
        return new HybridClock(ticker, node, 0, maxAhead, NO_LIMIT);
    }

    /** A clock that does not stamp before {@link #allowUpTo} is called. */
    public static HybridClock reserved(
            Ticker ticker, int node, long startAfter, Duration maxAhead) {
        return new HybridClock(ticker, node, startAfter, maxAhead, 0);
    }

    /**
     * A timestamp later than all before; null if it would exceed the durable bound, for example
     * while the disk hangs, or after {@link #stop}. Does not wait: the caller refuses the write.
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
     * Advances the clock, so that later timestamps are after {@code hybrid}.
     *
     * @param hybrid another node's {@link #reading}, or the time of a timestamp
     * @return false, without any effect, if it is too far ahead of the wall clock
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
     * Like {@link #observe(long)}, for a timestamp from a client, and follows only half as far:
     * otherwise a client could advance this clock so far that a peer with a slower wall clock no
     * longer follows.
     */
    public boolean observeFromClient(Timestamp timestamp) {
        boolean seen = Long.compareUnsigned(timestamp.madeAt(), reading()) <= 0;
        return seen
                || (aheadMillis(timestamp.madeAt()) <= maxAheadMillis / 2 && observe(timestamp));
    }

    /** Like {@link #observe(long)}, with the time of a timestamp. */
    public boolean observe(Timestamp timestamp) {
        return observe(timestamp.madeAt());
    }

    /**
     * The clock's reading, contained in every message to another node. At or after every timestamp
     * issued; not itself a timestamp.
     */
    public long reading() {
        return max(wall(), latest.get());
    }

    /**
     * The latest timestamp issued or reading observed. Unlike {@link #reading} it does not depend
     * on the wall clock, and never goes back.
     */
    public long latest() {
        return latest.get();
    }

    /**
     * Notes that this node has used the numbers after {@link #latest}, up to this one, otherwise.
     */
    public void countedTo(long number) {
        if (Long.compareUnsigned(number, latest.get()) > 0) {
            latest.accumulateAndGet(number, HybridClock::max);
        }
    }

    /** The clock's reading, in milliseconds since 1970. */
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

    /** Allows timestamps up to a bound that has been made durable. */
    public void allowUpTo(long bound) {
        if (Long.compareUnsigned(bound, limit) > 0) {
            limit = bound;
        }
    }

    /**
     * Stops stamping for good.
     *
     * @return a bound that no timestamp exceeds
     */
    public long stop() {
        limit = 0;
        // A concurrent next() that read the old limit fails its compare-and-set, because the latest
        // timestamp changed, and then reads the new limit.
        return latest.updateAndGet(last -> max(wall(), last + 1));
    }

    /** Milliseconds of timestamps that the durable bound still allows. */
    public long remainingMillis() {
        return (limit >>> COUNTER_BITS) - (reading() >>> COUNTER_BITS);
    }

    private long wall() {
        // A wall clock before 1970 is broken: the counter advances the clock.
        return Math.max(0, ticker.wallMillis()) << COUNTER_BITS;
    }

    /** The larger of two, unsigned. */
    public static long max(long a, long b) {
        return Long.compareUnsigned(a, b) >= 0 ? a : b;
    }
}
