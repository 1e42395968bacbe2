package dev.quorate.node.runtime;

/**
 * Room for one large value that passes from hand to hand. Whoever has it last releases it; further
 * releases do nothing. Not thread-safe: handed over safely with the value.
 */
public final class HeldRoom {

    /** Of nothing. */
    public static final HeldRoom NONE = new HeldRoom(new ByteBudget(0), 0);

    private final ByteBudget budget;
    private long bytes;

    public HeldRoom(ByteBudget budget, long bytes) {
        this.budget = budget;
        this.bytes = bytes;
    }

    /** 0 once it is released. */
    public long bytes() {
        return bytes;
    }

    public void release() {
        long released = bytes;
        bytes = 0;
        if (released > 0) {
            budget.release(released);
        }
    }
}
