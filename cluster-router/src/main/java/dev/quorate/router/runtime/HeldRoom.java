package dev.quorate.router.runtime;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * Room for one large value that passes from hand to hand. Whoever has it last releases it; further
 * releases do nothing. Not thread-safe: handed over safely with the value.
 */
public final class HeldRoom {

    /** Of nothing. */
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
     * The same room for another holder of the same value, perhaps in another thread: it is released
     * when each has released it.
     */
    public HeldRoom share() {
        if (bytes > 0) {
            holders.incrementAndGet();
        }
        return new HeldRoom(budget, bytes, holders);
    }

    /** 0 once this holder has released it. */
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
