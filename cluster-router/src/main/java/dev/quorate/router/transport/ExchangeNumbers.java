package dev.quorate.router.transport;

import dev.quorate.router.clock.HybridClock;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Numbers the exchanges of one lane to one peer: increasing, also across restarts, so that the peer
 * can detect replays.
 *
 * <p>They start at the hybrid clock, which never goes back, grow by one, and advance the clock with
 * them. So none is larger than the clock in its frame, and a peer that has followed that clock has
 * received none that is larger than its own clock.
 *
 * <p>They do not start at the clock's reading, which follows the wall clock: a wall clock that is
 * wrong at the start is corrected a moment later, but the numbers would not be. After its next
 * start peers would refuse this node's exchanges as replays until that wrong time.
 */
final class ExchangeNumbers {

    private final HybridClock clock;
    private final AtomicLong last;

    ExchangeNumbers(HybridClock clock) {
        this.clock = clock;
        this.last = new AtomicLong(clock.latest());
    }

    /** Must be taken before the frame's {@link HybridClock#reading}. */
    long next() {
        long number = last.incrementAndGet();
        clock.countedTo(number);
        return number;
    }

    /**
     * Skips ahead after a refusal: the peer has received larger numbers, from before this node lost
     * its data. The clock is past all of them by now, because the peer's clock is, and the refusal
     * carried it here.
     */
    void skipAhead() {
        last.accumulateAndGet(clock.latest(), HybridClock::max);
    }
}
