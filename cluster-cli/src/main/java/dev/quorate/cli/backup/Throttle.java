package dev.quorate.cli.backup;

import dev.quorate.cli.client.Progress;
import dev.quorate.router.runtime.Pace;
import dev.quorate.router.runtime.Ticker;
import java.util.function.LongConsumer;

/** Lets bytes pass at a rate, and reports how many have passed. */
final class Throttle {

    /** A node may give the place of a reader to others that does not read for a second. */
    private static final long LONGEST_NANOS = 300_000_000;

    private static final long REST_NANOS = 1_000_000_000;

    private final Ticker ticker;
    private final LongConsumer sleepNanos;
    private final Pace pace;
    private final Progress progress;
    private long bytes;

    /**
     * @param sleepNanos waits for a number of nanoseconds
     * @param bytesPerSecond 0 for no limit
     */
    Throttle(Ticker ticker, LongConsumer sleepNanos, long bytesPerSecond, Progress progress) {
        this.ticker = ticker;
        this.sleepNanos = sleepNanos;
        this.pace = new Pace(bytesPerSecond, ticker.nanos());
        this.progress = progress;
    }

    /** Waits until {@code count} more bytes are allowed. */
    void passed(int count) {
        bytes += count;
        progress.add(0, count);
        pace.spend(count, ticker.nanos());
        long left = pace.waitNanos(ticker.nanos());
        while (left > 0) {
            sleepNanos.accept(Math.min(left, LONGEST_NANOS));
            long now = pace.waitNanos(ticker.nanos());
            if (now >= left) {
                return; // The wait was interrupted.
            }
            left = now;
        }
    }

    /** Waits a moment before a node is asked again. */
    void rest() {
        sleepNanos.accept(REST_NANOS);
    }

    long bytes() {
        return bytes;
    }
}
