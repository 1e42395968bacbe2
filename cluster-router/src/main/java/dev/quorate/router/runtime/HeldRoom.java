package dev.quorate.router.runtime;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * A reservation of memory for one large value, passed on with the value. The last holder releases
 * it; further releases have no effect. Not thread-safe: publish it safely with the value.
 */
public final class HeldRoom {

    /** An empty reservation. */
    public static final HeldRoom NONE = new HeldRoom(new ByteBudget(0), 0);

    private final ByteBudget budget;
    private final AtomicInteger holders;
    private long bytes;

    public HeldRoom(ByteBudget budget, long bytes) {
        this(budget, bytes, new AtomicInteger(1));
    }

    private HeldRoom(ByteBudget budget, long bytes, AtomicInteger holders) {
        this.budget = budget;
        this.bytes = bytes;
        this.holders = holders;
    }

    /**
     * Shares the reservation with another holder of the value, perhaps in another thread: it is
     * released once every holder has released it.
     */
    public HeldRoom share() {
        if (bytes > 0) {
            holders.incrementAndGet();
        }
        return new HeldRoom(budget, bytes, holders);
    }

    /** The reserved bytes; 0 once this holder has released them. */
    public long bytes() {
        return bytes;
    }

    public void release() {
        long released = bytes;
        bytes = 0;
        if (released > 0 && holders.decrementAndGet() == 0) {
            budget.release(released);
        }
    }
}
