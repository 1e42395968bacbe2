package dev.quorate.storage.engine;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicIntegerArray;

/**
 * Counts who uses a thing, and disposes of it when it is retired and nobody does.
 *
 * <p>The count is spread over stripes, a cache line each, since every read takes a reference and
 * one shared count would bounce between the cores. Why this is right: a user counts itself first
 * and looks for retirement second; retirement is announced first and the stripes are added up
 * second. So either the user sees the announcement and withdraws, or it is counted. After the
 * announcement real users only leave, so stripes seen empty one after the other were all empty at
 * the last.
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

    /** Takes a reference: a token for {@link #release}, or a negative number if retired. */
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

    /** Turns new users away. */
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
