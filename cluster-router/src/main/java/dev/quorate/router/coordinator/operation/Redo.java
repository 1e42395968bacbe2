package dev.quorate.router.coordinator.operation;

import dev.quorate.router.runtime.Deadlines;

/**
 * Repeats an operation that has failed because a replica is in a later epoch: as soon as this node
 * uses that epoch, too.
 */
public final class Redo implements Deadlines.Expiring {

    private static final long CHECK_NANOS = 2_000_000;

    private final OperationContext context;
    private final View view;
    private final long deadlineNanos;
    private final Runnable again;
    private final Runnable giveUp;
    private volatile long checkNanos;

    /**
     * @param view of the operation that has failed
     * @param deadlineNanos of the operation, in {@code Ticker.nanos} time
     */
    public Redo(
            OperationContext context,
            View view,
            long deadlineNanos,
            Runnable again,
            Runnable giveUp) {
        this.context = context;
        this.view = view;
        this.deadlineNanos = deadlineNanos;
        this.again = again;
        this.giveUp = giveUp;
    }

    /** Repeats the operation now, or watches for the next epoch. */
    @Override
    public void expire() {
        checkNanos = context.nanos() + CHECK_NANOS;
        if (context.view().topology().epoch() > view.topology().epoch()) {
            again.run();
        } else if (checkNanos - deadlineNanos >= 0) {
            giveUp.run();
        } else {
            context.deadlines().watch(this);
        }
    }

    @Override
    public boolean isComplete() {
        return false;
    }

    @Override
    public long deadlineNanos() {
        return checkNanos;
    }
}
