package dev.quorate.storage.wal;

/**
 * Decides whether the log task defers the next group so that more writes can join it.
 *
 * <p>An fsync costs the same for one write as for a hundred, and uses processor time that the
 * writers being completed need to submit their next writes. So the next group begins when it is as
 * large as the previous one, or when the previous one is completed, whichever comes first. No timer
 * is involved: the completion that ends the wait is already in progress, and a lone writer never
 * waits.
 *
 * <p>Memory order: the log task sets {@link #wanted} and then reads the queues; the other threads
 * change the queues and then read {@link #wanted}. So at least one side sees the other's change.
 */
final class Gathering {

    private final WriteQueue queue;
    private final CompletionQueue completions;

    /**
     * The number of writes that ends the wait; 0 if the log task does not wait. Written by the log
     * task alone.
     */
    private volatile int wanted;

    /** Writes of the previous group. Used by the log task alone. */
    private int last;

    Gathering(WriteQueue queue, CompletionQueue completions) {
        this.queue = queue;
        this.completions = completions;
    }

    /** Log task: a group of {@code writes} has been passed to the completion task. */
    void committed(int writes) {
        last = writes;
    }

    /** Log task: whether to wait until more writes arrive or the previous group is completed. */
    boolean defers() {
        wanted = last;
        int waiting = queue.gatherable();
        if (waiting > 0 && waiting < last && completions.isBusy()) {
            return true;
        }
        wanted = 0;
        return false;
    }

    /** Writers: whether to schedule the log task, with {@code waiting} writes in the queue. */
    boolean suffices(int waiting) {
        int least = wanted;
        return least == 0 || waiting >= least;
    }

    /** Completion task: whether the log task waits for the completions. */
    boolean isWaiting() {
        return wanted > 0;
    }
}
