package dev.quorate.router.runtime;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The waiters for bytes of a budget. Each requests all its bytes at once, and has reserved none
 * while it waits, so that no two wait for each other.
 *
 * <p>Requests are granted in the order of their arrival, but round-robin over addresses: an address
 * with many requests delays the others by one grant each time. A request of more than a quarter of
 * the budget waits in a separate queue, because it must wait until nearly all bytes are released:
 * it stops the grants to small ones only after these were granted twice the budget since the last
 * large grant, or while no small one waits.
 *
 * <p>While requests wait, the reserved bytes are limited to those released within a third of the
 * time that each may take ({@link #tick}): more would only be late together. By Little's law, that
 * is the rate of grants times a third of that time.
 *
 * <p>Thread-safe. The lock is held during calls to the budget, but not to {@link Waiter#granted}.
 */
public final class RoomQueue implements ByteBudget.Queue {

    /** A waiting request. Must not override {@code equals}. */
    public interface Waiter {

        /** The address to which the grant counts. */
        String address();

        /** All bytes that it needs: {@link #charge}. */
        long bytes();

        /**
         * Reports that the bytes are reserved; the waiter must release them. Called once, by a
         * thread that releases memory and may hold locks: must only pass the message on.
         */
        void granted();
    }

    private static final int LARGE_PART = 4;
    private static final int BETWEEN_LARGE = 2;

    /** This part of the budget, a quarter, may always be granted. */
    private static final int LEAST_PART = 4;

    private final ByteBudget budget;
    private final AddressTurns<Waiter> small = new AddressTurns<>();
    private final AddressTurns<Waiter> large = new AddressTurns<>();

    /** Bytes granted to small requests since the last large grant. */
    private long bytesSinceLarge;

    /** Read without the lock. */
    private volatile int waiting;

    /** Maximum bytes that may be reserved now, except by a single request. */
    private volatile long allowedBytes;

    /** Bytes granted since the last tick. Guarded by this. */
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
     * The charge for an array of this many bytes: its footprint, but at most the whole budget, so
     * that the largest array fits into an empty budget.
     */
    public long charge(long arrayBytes) {
        return Math.min(HeapFootprint.ofArray(arrayBytes), budget.limitBytes());
    }

    /** Reserves bytes, unless they do not fit or others wait. */
    public synchronized boolean tryTake(long charge) {
        return waiting == 0 && take(charge);
    }

    private boolean take(long charge) {
        long used = budget.usedBytes();
        if ((used > 0 && used + charge > allowedBytes) || !budget.tryReserveUncounted(charge)) {
            return false;
        }
        grantedBytes += charge;
        return true;
    }

    /**
     * Call this regularly, from one thread at a time. It measures the bytes granted since the last
     * call, and limits further grants if requests waited at both calls.
     *
     * @param period the time since the last call
     * @param time the time that a request may take, from the grant to the release
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

    /** Queues a waiter; it may be granted before this method returns. */
    public void join(Waiter waiter) {
        synchronized (this) {
            addressTurns(waiter).add(waiter.address(), waiter);
            waiting++;
        }
        grant();
    }

    /** Removes a waiter. False if it was granted, or never waited. */
    public boolean remove(Waiter waiter) {
        synchronized (this) {
            if (!addressTurns(waiter).remove(waiter.address(), waiter)) {
                return false;
            }
            waiting--;
        }
        grant(); // It may have stopped the others.
        return true;
    }

    public void release(long charge) {
        budget.release(charge);
    }

    public int waiting() {
        return waiting;
    }

    @Override
    public boolean isWaitedFor() {
        return waiting > 0;
    }

    /** Grants the requests that fit now. */
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

    /** Reserves for the next waiter and removes it; null if it does not fit. */
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

    private AddressTurns<Waiter> addressTurns(Waiter waiter) {
        return waiter.bytes() > budget.limitBytes() / LARGE_PART ? large : small;
    }
}
