package dev.quorate.node.runtime;

/**
 * Limits work to a number of bytes a second. Bytes are counted after the fact, when they are known,
 * and what comes next waits for them. Not safe for use by two threads.
 */
public final class Pace {

    private static final double NANOS_PER_SECOND = 1e9;

    /** Shorter waits are left to the next: a timer for each would cost more than it gives. */
    private static final long SHORTEST_WAIT_NANOS = 5_000_000;

    private final double nanosPerByte;
    private long freeAtNanos;

    /**
     * @param bytesPerSecond 0 for no limit
     */
    public Pace(long bytesPerSecond, long nowNanos) {
        this.nanosPerByte = bytesPerSecond == 0 ? 0 : NANOS_PER_SECOND / bytesPerSecond;
        this.freeAtNanos = nowNanos;
    }

    /** Counts bytes. */
    public void spend(long bytes, long nowNanos) {
        long from = freeAtNanos - nowNanos > 0 ? freeAtNanos : nowNanos;
        freeAtNanos = from + (long) (bytes * nanosPerByte);
    }

    /** How long to wait before anything else begins, in nanoseconds; 0 for some milliseconds. */
    public long waitNanos(long nowNanos) {
        long wait = freeAtNanos - nowNanos;
        return wait < SHORTEST_WAIT_NANOS ? 0 : wait;
    }
}
