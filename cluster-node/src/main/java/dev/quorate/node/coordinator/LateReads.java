package dev.quorate.node.coordinator;

/**
 * When a read is late: after the time that ninety-nine of a hundred reads take. So about one read
 * of a hundred asks one replica more than it needs, whatever the network and the load are, and one
 * slow replica holds up hardly any.
 *
 * <p>The 99th percentile is followed rather than counted: a time above it raises it by 99 times
 * what a time below lowers it, so that it rests where one in a hundred is above. It needs no past,
 * and moves with the load within some hundred reads (the idea is that of the "frugal" quantiles of
 * Ma, Muthukrishnan and Sandler, 2013). Threads may overwrite each other's step: it is one of many.
 */
final class LateReads {

    /** Sooner nobody is asked: the sweep that finds late reads is not finer. */
    private static final long MIN_NANOS = 5_000_000;

    private static final double LOWERS = 0.9995;
    private static final double RAISES = 1 + 99 * (1 - LOWERS);

    private final long mostNanos;
    private volatile long nanos;

    /**
     * @param timeoutNanos of an operation; at a quarter of it a read is late in any case
     */
    LateReads(long timeoutNanos) {
        this.mostNanos = Math.max(timeoutNanos / 4, 1);
        this.nanos = Math.min(4 * MIN_NANOS, mostNanos);
    }

    /** A read that waited for others took that long. */
    void took(long readNanos) {
        long bound = nanos;
        double next = readNanos > bound ? bound * RAISES : bound * LOWERS;
        nanos = Math.min(Math.max((long) next, MIN_NANOS), mostNanos);
    }

    /** What has taken longer is late. */
    long nanos() {
        return nanos;
    }
}
