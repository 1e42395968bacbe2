package dev.quorate.node.transport;

import dev.quorate.node.clock.HybridClock;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Numbers the exchanges of one lane to one peer: ever larger, also over restarts, so that the peer
 * can tell a replay.
 *
 * <p>They begin where the hybrid clock is, which never goes back, grow by one, and take the clock
 * with them where it does not grow faster by itself. So none is larger than the clock that its
 * frame carries, and a peer that has followed that clock has seen none that is larger than its own.
 *
 * <p>They do not begin at what the clock shows: that is the wall clock where it is ahead, and a
 * wall clock that is wrong at a start is put right a moment later. The numbers would not be. The
 * peers would have seen them, and take all that this node sends after its next start for replays,
 * until the time has come to which its clock was wrong.
 */
final class ExchangeNumbers {

    private final HybridClock clock;
    private final AtomicLong last;

    ExchangeNumbers(HybridClock clock) {
        this.clock = clock;
        this.last = new AtomicLong(clock.latest());
    }

    /** To be taken before the frame's {@link HybridClock#reading}. */
    long next() {
        long number = last.incrementAndGet();
        clock.countedTo(number);
        return number;
    }

    /**
     * The peer has seen larger ones, from this node before it lost its data. By now the clock has
     * moved past all of them, because the peer's clock has, and its refusal carried it here.
     */
    void skipAhead() {
        last.accumulateAndGet(clock.latest(), HybridClock::max);
    }
}
