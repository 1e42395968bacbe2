package dev.quorate.node.runtime;

import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Bytes that many may hold together, such as all connections of a listener. What is held is
 * reserved before it is allocated, so that many clients cannot do together what each is forbidden
 * alone.
 */
public final class ByteBudget {

    private final long limitBytes;
    private final AtomicLong usedBytes = new AtomicLong();
    private volatile boolean refused;

    /** What is reserved here is reserved there too; null if this is the whole. */
    private final @Nullable ByteBudget whole;

    public ByteBudget(long limitBytes) {
        this(limitBytes, null);
    }

    private ByteBudget(long limitBytes, @Nullable ByteBudget whole) {
        this.limitBytes = limitBytes;
        this.whole = whole;
    }

    /** A part of this, which may take so much of it. */
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

    /** Whether so much could be reserved now: a look, not a promise. */
    public boolean hasRoomFor(long bytes) {
        return usedBytes.get() + bytes <= limitBytes && (whole == null || whole.hasRoomFor(bytes));
    }

    public void release(long bytes) {
        usedBytes.addAndGet(-bytes);
        if (whole != null) {
            whole.release(bytes);
        }
    }

    /** Somebody did not even try, for want of room. */
    public void noteRefusal() {
        refused = true;
    }

    /** Whether there was no room for somebody since this was asked last, by its only asker. */
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
