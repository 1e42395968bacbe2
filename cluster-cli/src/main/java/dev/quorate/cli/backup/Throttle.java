package dev.quorate.cli.backup;

import dev.quorate.cli.client.Progress;
import dev.quorate.node.runtime.Ticker;
import java.util.function.LongConsumer;

/** Lets bytes pass at a rate, and reports how many have passed. */
final class Throttle {

    private static final double NANOS_PER_SECOND = 1e9;

    /** Shorter waits are added up. */
    private static final long SHORTEST_NANOS = 10_000_000;

    /** A node may give the place of a reader to others that does not read for a second. */
    private static final long LONGEST_NANOS = 300_000_000;

    private static final long REST_NANOS = 1_000_000_000;

    private final Ticker ticker;
    private final LongConsumer sleepNanos;
    private final double bytesPerSecond;
    private final Progress progress;
    private final long startedNanos;
    private long bytes;

    /**
     * Begins now.
     *
     * @param sleepNanos waits so many nanoseconds
     * @param bytesPerSecond infinite for no limit
     */
    Throttle(Ticker ticker, LongConsumer sleepNanos, double bytesPerSecond, Progress progress) {
        this.ticker = ticker;
        this.sleepNanos = sleepNanos;
        this.bytesPerSecond = bytesPerSecond;
        this.progress = progress;
        this.startedNanos = ticker.nanos();
    }

    /** Waits until so many more bytes were allowed. */
    void passed(int count) {
        bytes += count;
        progress.add(0, count);
        long due = startedNanos + (long) (bytes / bytesPerSecond * NANOS_PER_SECOND);
        long left = due - ticker.nanos();
        while (left > SHORTEST_NANOS) {
            sleepNanos.accept(Math.min(left, LONGEST_NANOS));
            long now = due - ticker.nanos();
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
