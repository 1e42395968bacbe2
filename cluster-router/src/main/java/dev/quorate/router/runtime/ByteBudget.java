package dev.quorate.router.runtime;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
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

    /** The budget that contains this part, and is charged too; null for the whole. */
    private final @Nullable ByteBudget whole;

    /** The queues of the whole and its parts; used only in the whole. */
    private final List<Queue> queues = new CopyOnWriteArrayList<>();

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

    /** Reserves bytes, or changes nothing and returns false, which counts as a refusal. */
    public boolean tryReserve(long bytes) {
        if (tryReserveUncounted(bytes)) {
            return true;
        }
        refused = true;
        return false;
    }

    /** Like {@link #tryReserve}, but false is not a refusal: the caller waits. */
    boolean tryReserveUncounted(long bytes) {
        long used;
        do {
            used = usedBytes.get();
            if (used + bytes > limitBytes) {
                return false;
            }
        } while (!usedBytes.compareAndSet(used, used + bytes));
        if (whole == null || whole.tryReserveUncounted(bytes)) {
            return true;
        }
        usedBytes.addAndGet(-bytes);
        return false;
    }

    /** Whether this many bytes could be reserved now; reserves nothing. */
    public boolean hasRoomFor(long bytes) {
        return usedBytes.get() + bytes <= limitBytes && (whole == null || whole.hasRoomFor(bytes));
    }

    public void release(long bytes) {
        usedBytes.addAndGet(-bytes);
        if (whole != null) {
            whole.release(bytes);
            return;
        }
        for (Queue queue : queues) {
            queue.grant();
        }
    }

    /** The waiters of a budget, or of a part of it. */
    interface Queue {

        /**
         * Called when bytes were released in the whole, perhaps not in this queue's part. The
         * caller may hold locks: this must not take a lock that is held during a {@link
         * ByteBudget#release}.
         */
        void grant();

        boolean isWaitedFor();
    }

    void queue(Queue queue) {
        whole().queues.add(queue);
    }

    /** Whether any caller waits for bytes of the whole, or of a part of it. */
    public boolean isWaitedFor() {
        for (Queue queue : whole().queues) {
            if (queue.isWaitedFor()) {
                return true;
            }
        }
        return false;
    }

    /** The budget that contains this one and is not a part itself. */
    public ByteBudget whole() {
        ByteBudget top = this;
        while (top.whole != null) {
            top = top.whole;
        }
        return top;
    }

    public long limitBytes() {
        return limitBytes;
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
