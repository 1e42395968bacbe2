package dev.quorate.node.http;

import java.util.concurrent.atomic.AtomicLong;

/**
 * Bytes that all connections of a listener may hold together. What is held is reserved before it is
 * allocated, so that many clients cannot do together what each is forbidden alone.
 */
final class ByteBudget {

    private final long limitBytes;
    private final AtomicLong usedBytes = new AtomicLong();

    ByteBudget(long limitBytes) {
        this.limitBytes = limitBytes;
    }

    /** Reserves, or changes nothing and returns false. */
    boolean tryReserve(long bytes) {
        if (usedBytes.addAndGet(bytes) <= limitBytes) {
            return true;
        }
        usedBytes.addAndGet(-bytes);
        return false;
    }

    /** Whether so much could be reserved now: a look, not a promise. */
    boolean hasRoomFor(long bytes) {
        return usedBytes.get() + bytes <= limitBytes;
    }

    void release(long bytes) {
        usedBytes.addAndGet(-bytes);
    }

    long usedBytes() {
        return usedBytes.get();
    }
}
