package dev.quorate.node.memory;

import java.util.concurrent.atomic.AtomicLong;

/**
 * Bytes that many may hold together, such as all connections of a listener. What is held is
 * reserved before it is allocated, so that many clients cannot do together what each is forbidden
 * alone.
 */
public final class ByteBudget {

    private final long limitBytes;
    private final AtomicLong usedBytes = new AtomicLong();

    public ByteBudget(long limitBytes) {
        this.limitBytes = limitBytes;
    }

    /** Reserves, or changes nothing and returns false. */
    public boolean tryReserve(long bytes) {
        if (usedBytes.addAndGet(bytes) <= limitBytes) {
            return true;
        }
        usedBytes.addAndGet(-bytes);
        return false;
    }

    /** Whether so much could be reserved now: a look, not a promise. */
    public boolean hasRoomFor(long bytes) {
        return usedBytes.get() + bytes <= limitBytes;
    }

    public void release(long bytes) {
        usedBytes.addAndGet(-bytes);
    }

    public long usedBytes() {
        return usedBytes.get();
    }
}
