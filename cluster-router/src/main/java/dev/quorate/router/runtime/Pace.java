package dev.quorate.router.runtime;

import java.time.Duration;

/**
 * Limits work to a number of bytes a second. Bytes are counted afterwards, when they are known, and
 * delay later work. Not thread-safe.
 */
public final class Pace {

    /** Shorter waits are added to the next one: a timer for each would cost too much. */
    private static final long SHORTEST_WAIT_NANOS = 5_000_000;

    private static final double LEAST_SHARE = 0.125;

    private final double nanosPerByte;
    private final long startNanos;
    private final long riseNanos;
    private long freeAtNanos;

    /**
     * @param bytesPerSecond 0 for no limit
     */
    public Pace(long bytesPerSecond, long nowNanos) {
        this(bytesPerSecond, nowNanos, Duration.ZERO);
    }

    /**
     * @param bytesPerSecond 0 for no limit
     * @param rise how long the rate rises, from an eighth of that: code that has not run before is
     *     slow, and is compiled on the processors that serve requests
     */
    public Pace(long bytesPerSecond, long nowNanos, Duration rise) {
        this.nanosPerByte = bytesPerSecond == 0 ? 0 : 1e9 / bytesPerSecond;
        this.startNanos = nowNanos;
        this.riseNanos = rise.toNanos();
        this.freeAtNanos = nowNanos;
    }

    public void spend(long bytes, long nowNanos) {
        long from = freeAtNanos - nowNanos > 0 ? freeAtNanos : nowNanos;
        long passed = nowNanos - startNanos;
        double share = passed >= riseNanos ? 1 : Math.max(LEAST_SHARE, (double) passed / riseNanos);
        freeAtNanos = from + (long) (bytes * nanosPerByte / share);
    }

    /** Nanoseconds to wait before further work begins; 0 if less than 5 ms. */
    public long waitNanos(long nowNanos) {
        long wait = freeAtNanos - nowNanos;
        return wait < SHORTEST_WAIT_NANOS ? 0 : wait;
    }
}
