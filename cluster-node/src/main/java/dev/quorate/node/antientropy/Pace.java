package dev.quorate.node.antientropy;

/**
 * Holds what is done to so many bytes in a second. What is done is counted afterwards, when its
 * bytes are known, and whatever comes next waits accordingly. Not safe for use by two threads.
 */
final class Pace {

    private static final double NANOS_PER_SECOND = 1e9;

    private final double nanosPerByte;
    private long freeAtNanos;

    /**
     * @param bytesPerSecond 0 for no limit
     */
    Pace(long bytesPerSecond, long nowNanos) {
        this.nanosPerByte = bytesPerSecond == 0 ? 0 : NANOS_PER_SECOND / bytesPerSecond;
        this.freeAtNanos = nowNanos;
    }

    void spend(long bytes, long nowNanos) {
        long from = freeAtNanos - nowNanos > 0 ? freeAtNanos : nowNanos;
        freeAtNanos = from + (long) (bytes * nanosPerByte);
    }

    /** How long to wait before anything else is begun, in nanoseconds. */
    long waitNanos(long nowNanos) {
        return Math.max(0, freeAtNanos - nowNanos);
    }
}
