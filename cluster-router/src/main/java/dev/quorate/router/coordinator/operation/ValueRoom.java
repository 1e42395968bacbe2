package dev.quorate.router.coordinator.operation;

import dev.quorate.router.runtime.ByteBudget;
import dev.quorate.router.runtime.Deadlines;
import dev.quorate.router.runtime.HeldRoom;
import dev.quorate.router.runtime.RoomQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * The memory for values that reads have found, until the client has its answer. Large values have a
 * part of it, with a queue: a read whose value finds no room drops the value, waits for room, and
 * reads again.
 */
public final class ValueRoom {

    /** Values longer than this wait for room. */
    static final int LARGE_BYTES = 64 * 1024;

    private final ByteBudget all;
    private final ByteBudget large;
    private final RoomQueue queue;
    private final Executor executor;

    /**
     * @param largeValues the memory of large values, of which reads use at most a half. Small
     *     values use the budget that contains it, so that large values cannot exclude them
     * @param executor runs reads that have waited
     */
    public ValueRoom(ByteBudget largeValues, Executor executor) {
        this.executor = executor;
        all = largeValues.whole();
        large = largeValues.part(largeValues.limitBytes() / 2);
        queue = new RoomQueue(large);
    }

    public static boolean isLarge(long valueBytes) {
        return valueBytes > LARGE_BYTES;
    }

    /** Reserves room for a value; false if there is none, or others wait for it. */
    public boolean tryTake(long valueBytes) {
        return isLarge(valueBytes)
                ? queue.tryTake(queue.charge(valueBytes))
                : all.tryReserve(valueBytes);
    }

    /** Whether room for {@code grantedBytes} suffices for {@code valueBytes}. */
    public boolean suffices(long grantedBytes, long valueBytes) {
        return grantedBytes > 0 && charge(grantedBytes) >= charge(valueBytes);
    }

    /** Releases the room of a value. Does nothing for 0 bytes. */
    public void release(long valueBytes) {
        if (valueBytes > 0) {
            budget(valueBytes).release(charge(valueBytes));
        }
    }

    /** Hands over the room of a value. */
    public HeldRoom transfer(long valueBytes) {
        return new HeldRoom(budget(valueBytes), charge(valueBytes));
    }

    /**
     * Waits for room for a large value, at the end of the queue, until the deadline.
     *
     * @param granted runs on the executor once room is reserved, which must be released
     * @param refused runs if the deadline has passed, or the executor is full
     */
    public void await(
            long valueBytes,
            long deadlineNanos,
            Deadlines deadlines,
            Runnable granted,
            Runnable refused) {
        Turn turn = new Turn(charge(valueBytes), deadlineNanos, granted, refused);
        queue.join(turn);
        if (!turn.isComplete()) {
            deadlines.watch(turn);
        }
    }

    private long charge(long valueBytes) {
        return isLarge(valueBytes) ? queue.charge(valueBytes) : valueBytes;
    }

    private ByteBudget budget(long valueBytes) {
        return isLarge(valueBytes) ? large : all;
    }

    private final class Turn implements RoomQueue.Waiter, Deadlines.Expiring {

        private final long charge;
        private final long deadlineNanos;
        private final Runnable granted;
        private final Runnable refused;
        private final AtomicBoolean isOver = new AtomicBoolean();

        Turn(long charge, long deadlineNanos, Runnable granted, Runnable refused) {
            this.charge = charge;
            this.deadlineNanos = deadlineNanos;
            this.granted = granted;
            this.refused = refused;
        }

        /** Reads do not know their clients. */
        @Override
        public String address() {
            return "";
        }

        @Override
        public long bytes() {
            return charge;
        }

        @Override
        public void granted() {
            isOver.set(true);
            try {
                executor.execute(granted);
            } catch (RejectedExecutionException full) {
                large.release(charge);
                refused.run();
            }
        }

        @Override
        public boolean isComplete() {
            return isOver.get();
        }

        @Override
        public long deadlineNanos() {
            return deadlineNanos;
        }

        @Override
        public void expire() {
            if (queue.remove(this)) {
                isOver.set(true);
                refused.run();
            }
        }
    }
}
