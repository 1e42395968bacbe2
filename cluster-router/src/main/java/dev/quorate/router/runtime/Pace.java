package dev.quorate.router.runtime;

/**
 * Limits work to a number of bytes a second. Bytes are counted afterwards, when they are known, and
 * delay later work. Not thread-safe.
 */
public final class Pace {

    /** Shorter waits are added to the next one: a timer for each would cost too much. */
    private static final long SHORTEST_WAIT_NANOS = 5_000_000;

    private final double nanosPerByte;
    private long freeAtNanos;

    /**
     * @param bytesPerSecond 0 for no limit
     */
    public Pace(long bytesPerSecond, long nowNanos) {
        this.nanosPerByte = bytesPerSecond == 0 ? 0 : 1e9 / bytesPerSecond;
        this.freeAtNanos = nowNanos;
    }

    public void spend(long bytes, long nowNanos) {
        long from = freeAtNanos - nowNanos > 0 ? freeAtNanos : nowNanos;
        freeAtNanos = from + (long) (bytes * nanosPerByte);
    }

    /** Nanoseconds to wait before further work begins; 0 if less than 5 ms. */
    public long waitNanos(long nowNanos) {
        long wait = freeAtNanos - nowNanos;
        return wait < SHORTEST_WAIT_NANOS ? 0 : wait;
    }
}
