package dev.quorate.router.transport;

import dev.quorate.router.clock.HybridClock;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Numbers the exchanges of one lane to one peer: increasing, also across restarts, so that the peer
 * can detect replays.
 *
 * <p>They start at the hybrid clock, which never goes back, grow by one, and advance the clock with
 * them. So no number exceeds the clock in its frame, and a peer that follows that clock has
 * received no number that exceeds its own clock.
 *
 * <p>They do not start at the clock's reading, which follows the wall clock: a wall clock that is
 * wrong at the start is corrected a moment later, but the numbers would not be. After the next
 * start, peers would refuse this node's exchanges as replays until that wrong time.
 */
final class ExchangeNumbers {

    private final HybridClock clock;
    private final AtomicLong last;

    ExchangeNumbers(HybridClock clock) {
        this.clock = clock;
        this.last = new AtomicLong(clock.latest());
    }

    /** Call this before {@link HybridClock#reading} for the same frame. */
    long next() {
        long number = last.incrementAndGet();
        clock.countedTo(number);
        return number;
    }

    /**
     * Skips ahead after a refusal: the peer has received larger numbers, from before this node lost
     * its data. This node's clock has passed all of them: the refusal contained the peer's clock.
     */
    void skipAhead() {
        last.accumulateAndGet(clock.latest(), HybridClock::max);
    }
}
