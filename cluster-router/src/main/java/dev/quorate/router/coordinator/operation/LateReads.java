package dev.quorate.router.coordinator.operation;

/**
 * Decides when a read is late: after the 99th percentile of the time that reads take. So about one
 * read in a hundred asks one more replica than it needs, on any network and under any load, and one
 * slow replica delays hardly any read.
 *
 * <p>The 99th percentile is estimated without a history: a time above the estimate raises it by 99
 * times what a time below lowers it, so that it settles where one in a hundred is above. It follows
 * the load within some hundred reads (the idea is that of the "frugal" quantiles of Ma,
 * Muthukrishnan and Sandler, 2013). A thread may overwrite another's update, which is one of many.
 */
public final class LateReads {

    /** The lower bound: the sweep that finds late reads has no finer resolution. */
    private static final long MIN_NANOS = 5_000_000;

    private static final double LOWERS = 0.9995;
    private static final double RAISES = 1 + 99 * (1 - LOWERS);

    private final long mostNanos;
    private volatile long nanos;

    /**
     * @param timeoutNanos the timeout of an operation; a quarter of it is the upper bound
     */
    public LateReads(long timeoutNanos) {
        this.mostNanos = Math.max(timeoutNanos / 4, 1);
        this.nanos = Math.min(4 * MIN_NANOS, mostNanos);
    }

    /** Records the time of a read that waited for other replicas. */
    public void recordDuration(long readNanos) {
        long bound = nanos;
        double next = readNanos > bound ? bound * RAISES : bound * LOWERS;
        nanos = Math.min(Math.max((long) next, MIN_NANOS), mostNanos);
    }

    /** A read that takes longer than this is late. */
    public long nanos() {
        return nanos;
    }
}
