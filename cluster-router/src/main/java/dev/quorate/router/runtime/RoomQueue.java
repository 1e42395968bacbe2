package dev.quorate.router.runtime;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Those who wait for room in a budget. Each asks once for all that it needs, and holds nothing
 * while it waits, so that no two wait for each other.
 *
 * <p>They are granted room in the order in which they asked, but address by address in turn: one
 * address that asks often delays the others by one grant each time. What takes more than a quarter
 * of the budget waits apart, because it has to wait until others have released nearly everything:
 * it stops the grants to the others only after these were granted twice the budget since the last
 * such grant, or while none of them waits.
 *
 * <p>While they wait, no more is granted than is released within a third of the time that each may
 * take ({@link #tick}): more would only be late together. By Little's law that is the rate of
 * grants times that time.
 *
 * <p>Thread-safe. The lock is held for no call but those of the budget.
 */
public final class RoomQueue implements ByteBudget.Queue {

    /** What waits. Compared by identity. */
    public interface Waiter {

        /** Whose turn it takes. */
        String address();

        /** All that it needs: {@link #charge}. */
        long bytes();

        /**
         * The bytes are reserved; whoever waited must release them. Called once, by a thread that
         * releases memory and may hold locks: must only pass the message on.
         */
        void granted();
    }

    private static final int LARGE_PART = 4;
    private static final int BETWEEN_LARGE = 2;

    /** However slow others are, so much of the budget may be granted. */
    private static final int LEAST_PART = 4;

    private final ByteBudget budget;
    private final AddressTurns<Waiter> small = new AddressTurns<>();
    private final AddressTurns<Waiter> large = new AddressTurns<>();

    /** What others were granted since the last large grant. */
    private long bytesSinceLarge;

    /** Read without the lock. */
    private volatile int waiting;

    /** The most that may be reserved now, but for a single one. */
    private volatile long allowedBytes;

    /** Since the last tick. Guarded by this. */
    private long grantedBytes;

    // Used by tick() only.
    private long grantedBefore;
    private boolean wasWaitedFor;

    public RoomQueue(ByteBudget budget) {
        this.budget = budget;
        allowedBytes = budget.limitBytes();
        budget.queue(this);
    }

    /**
     * What an array of so many bytes is charged: its footprint, but at most the whole budget, so
     * that the largest one fits if nothing else is there.
     */
    public long charge(long arrayBytes) {
        return Math.min(HeapFootprint.ofArray(arrayBytes), budget.limitBytes());
    }

    /** Reserves, unless there is no room or others wait for it. */
    public synchronized boolean tryTake(long charge) {
        return waiting == 0 && take(charge);
    }

    private boolean take(long charge) {
        long used = budget.usedBytes();
        if ((used > 0 && used + charge > allowedBytes) || !budget.take(charge)) {
            return false;
        }
        grantedBytes += charge;
        return true;
    }

    /**
     * To be called regularly, by one thread at a time: measures what was granted since the last
     * time, and limits what may be granted if others have waited all the while.
     *
     * @param period since the last call
     * @param time that one may take, from the grant to the release
     */
    public void tick(Duration period, Duration time) {
        long granted;
        synchronized (this) {
            granted = grantedBytes;
            grantedBytes = 0;
        }
        boolean isWaitedFor = isWaitedFor();
        long limit = budget.limitBytes();
        if (isWaitedFor && wasWaitedFor) {
            double perSecond = (granted + grantedBefore) / 2.0 / (period.toNanos() / 1e9);
            long inTime = (long) (perSecond * time.toNanos() / 3e9);
            allowedBytes = Math.clamp(inTime, limit / LEAST_PART, limit);
        } else if (!isWaitedFor) {
            allowedBytes = limit;
        }
        grantedBefore = granted;
        wasWaitedFor = isWaitedFor;
        grant();
    }

    /** Waits at the end; perhaps granted before this returns. */
    public void join(Waiter waiter) {
        synchronized (this) {
            turnsOf(waiter).add(waiter.address(), waiter);
            waiting++;
        }
        grant();
    }

    /** Stops waiting. False if it was granted, or never waited. */
    public boolean leave(Waiter waiter) {
        synchronized (this) {
            if (!turnsOf(waiter).remove(waiter.address(), waiter)) {
                return false;
            }
            waiting--;
        }
        grant(); // It may have been what stopped the others.
        return true;
    }

    public void release(long charge) {
        budget.release(charge);
    }

    /** How many wait. */
    public int waiting() {
        return waiting;
    }

    @Override
    public boolean isWaitedFor() {
        return waiting > 0;
    }

    /** Grants what fits now. */
    @Override
    public void grant() {
        if (waiting == 0) {
            return;
        }
        List<Waiter> granted = new ArrayList<>();
        synchronized (this) {
            Waiter next;
            while ((next = next()) != null) {
                granted.add(next);
            }
            waiting -= granted.size();
        }
        for (Waiter waiter : granted) {
            waiter.granted();
        }
    }

    /** The next one that fits, reserved and removed. */
    private @Nullable Waiter next() {
        boolean isLargeNext =
                !large.isEmpty()
                        && (small.isEmpty()
                                || bytesSinceLarge >= BETWEEN_LARGE * budget.limitBytes());
        AddressTurns<Waiter> turns = isLargeNext ? large : small;
        Waiter first = turns.first();
        if (first == null || !take(first.bytes())) {
            return null;
        }
        turns.takeFirst();
        bytesSinceLarge = isLargeNext ? 0 : bytesSinceLarge + first.bytes();
        return first;
    }

    private AddressTurns<Waiter> turnsOf(Waiter waiter) {
        return waiter.bytes() > budget.limitBytes() / LARGE_PART ? large : small;
    }
}
