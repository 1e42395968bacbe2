package dev.quorate.storage.engine;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicIntegerArray;

/**
 * Counts the references to a resource, and disposes of it once it is retired and unreferenced.
 *
 * <p>The count is spread over stripes, one cache line each, because every read acquires a reference
 * and a single counter would bounce between cores. Correctness: {@link #tryRetain} increments its
 * stripe before it reads {@code retired}; {@link #retire} sets {@code retired} before it reads the
 * stripes. So either the new reference sees the retirement and is released, or the retirement sees
 * the reference. After retirement references only decrease, so stripes that were read as zero one
 * after another are all zero after the last read.
 */
final class References {

    private static final int STRIPES = 8;
    private static final int INTS_PER_CACHE_LINE = 16;

    private final AtomicIntegerArray counts = new AtomicIntegerArray(STRIPES * INTS_PER_CACHE_LINE);
    private final AtomicBoolean disposed = new AtomicBoolean();
    private final Runnable dispose;
    private volatile boolean retired;

    References(Runnable dispose) {
        this.dispose = dispose;
    }

    /**
     * Acquires a reference; returns a token for {@link #release}, or a negative number if retired.
     */
    int tryRetain() {
        int stripe =
                ((int) Thread.currentThread().threadId() & (STRIPES - 1)) * INTS_PER_CACHE_LINE;
        counts.incrementAndGet(stripe);
        if (retired) {
            release(stripe);
            return -1;
        }
        return stripe;
    }

    void release(int token) {
        counts.decrementAndGet(token);
        if (retired) {
            disposeIfUnused();
        }
    }

    /** Rejects further references. */
    void retire() {
        retired = true;
        disposeIfUnused();
    }

    private void disposeIfUnused() {
        for (int stripe = 0; stripe < STRIPES; stripe++) {
            if (counts.get(stripe * INTS_PER_CACHE_LINE) != 0) {
                return;
            }
        }
        if (disposed.compareAndSet(false, true)) {
            dispose.run();
        }
    }
}
