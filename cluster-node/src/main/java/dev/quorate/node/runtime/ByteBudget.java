package dev.quorate.node.runtime;

import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * A budget of bytes that many users share, such as all connections of a listener. Memory is
 * reserved before it is allocated, so that many clients together cannot exceed the limit.
 */
public final class ByteBudget {

    private final long limitBytes;
    private final AtomicLong usedBytes = new AtomicLong();
    private volatile boolean refused;

    /**
     * The budget that this is a part of, which is reserved from as well; null if this is the whole.
     */
    private final @Nullable ByteBudget whole;

    public ByteBudget(long limitBytes) {
        this(limitBytes, null);
    }

    private ByteBudget(long limitBytes, @Nullable ByteBudget whole) {
        this.limitBytes = limitBytes;
        this.whole = whole;
    }

    /** A part of this budget with a limit of its own. */
    public ByteBudget part(long partLimitBytes) {
        return new ByteBudget(partLimitBytes, this);
    }

    /** Reserves, or changes nothing and returns false. */
    public boolean tryReserve(long bytes) {
        if (usedBytes.addAndGet(bytes) <= limitBytes
                && (whole == null || whole.tryReserve(bytes))) {
            return true;
        }
        usedBytes.addAndGet(-bytes);
        refused = true;
        return false;
    }

    /** Whether so much could be reserved now; not a reservation. */
    public boolean hasRoomFor(long bytes) {
        return usedBytes.get() + bytes <= limitBytes && (whole == null || whole.hasRoomFor(bytes));
    }

    public void release(long bytes) {
        usedBytes.addAndGet(-bytes);
        if (whole != null) {
            whole.release(bytes);
        }
    }

    /** Notes a refusal of a caller that did not try to reserve. */
    public void noteRefusal() {
        refused = true;
    }

    /** Whether there was a refusal since the last call. For one caller only. */
    public boolean takeRefused() {
        boolean was = refused;
        if (was) {
            refused = false;
        }
        return was;
    }

    public long usedBytes() {
        return usedBytes.get();
    }
}
