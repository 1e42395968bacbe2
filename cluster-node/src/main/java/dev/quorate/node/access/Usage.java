package dev.quorate.node.access;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * What a caller has taken of its shares. It outlives a change of the token file: otherwise whoever
 * has another token added would get the shares of all tokens anew. Thread-safe.
 */
final class Usage {

    private final AtomicLong requestsPaidUntilNanos;
    private final AtomicLong bytesPaidUntilNanos;
    private final AtomicInteger openRanges;
    private final Shares shares;

    /** Null without such a limit. */
    final @Nullable CellRate requests;

    /** Null without such a limit. */
    final @Nullable CellRate bytes;

    Usage(Shares shares) {
        this(shares, new AtomicLong(), new AtomicLong(), new AtomicInteger());
    }

    private Usage(Shares shares, AtomicLong requests, AtomicLong bytes, AtomicInteger openRanges) {
        this.shares = shares;
        this.requestsPaidUntilNanos = requests;
        this.bytesPaidUntilNanos = bytes;
        this.openRanges = openRanges;
        this.requests =
                shares.requestsPerSecond() == 0
                        ? null
                        : new CellRate(shares.requestsPerSecond(), requests);
        this.bytes =
                shares.bytesPerSecond() == 0 ? null : new CellRate(shares.bytesPerSecond(), bytes);
    }

    /** The same with other shares. */
    Usage with(Shares others) {
        return new Usage(others, requestsPaidUntilNanos, bytesPaidUntilNanos, openRanges);
    }

    Shares shares() {
        return shares;
    }

    /** Counts a range that opens, if it may. */
    boolean tryOpenRange() {
        int most = shares.ranges() == 0 ? Integer.MAX_VALUE : shares.ranges();
        while (true) {
            int open = openRanges.get();
            if (open >= most) {
                return false;
            }
            if (openRanges.compareAndSet(open, open + 1)) {
                return true;
            }
        }
    }

    void closeRange() {
        openRanges.decrementAndGet();
    }
}
