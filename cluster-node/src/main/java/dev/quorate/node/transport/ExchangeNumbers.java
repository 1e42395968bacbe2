package dev.quorate.node.transport;

import dev.quorate.node.clock.HybridClock;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Numbers the exchanges of one lane to one peer: ever larger, also over restarts, so that the peer
 * can tell a replay.
 *
 * <p>They begin at the hybrid clock's reading, which never goes back, and grow by one: far slower
 * than the clock, which grows by 65,536 each millisecond.
 */
final class ExchangeNumbers {

    private final HybridClock clock;
    private final AtomicLong last;

    ExchangeNumbers(HybridClock clock) {
        this.clock = clock;
        this.last = new AtomicLong(clock.reading());
    }

    long next() {
        return last.incrementAndGet();
    }

    /**
     * The peer has seen larger ones, from this node before it lost its data. By now the clock has
     * moved past all of them, because the peer's clock has, and its refusal carried it here.
     */
    void skipAhead() {
        last.accumulateAndGet(clock.reading(), (a, b) -> Long.compareUnsigned(a, b) >= 0 ? a : b);
    }
}
