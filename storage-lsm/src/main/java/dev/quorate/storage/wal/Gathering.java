package dev.quorate.storage.wal;

/**
 * Whether the log task leaves the writes that wait where they are, so that more come to them.
 *
 * <p>An fsync costs the same for one write as for a hundred, and most of that is processor time
 * that those who are told, and will write again, cannot have. So the next group begins when it is
 * as large as the one that is being told, or when that one has been told, whatever comes first. No
 * clock is involved: what ends the wait is under way already, and a writer that is alone waits for
 * nobody.
 *
 * <p>Whoever could end the wait looks at {@link #wanted} after having changed what the log task
 * looks at after it has set that: one of the two sees the other.
 */
final class Gathering {

    /** What {@link WriteQueue#gatherable} says if the log task has more to do than to write. */
    static final int NOT_NOW = -1;

    private final WriteQueue queue;
    private final CompletionQueue completions;

    /** So many writes end the wait; 0 where nobody waits. Set by the log task alone. */
    private volatile int wanted;

    /** Writes of the group before. Of the log task alone. */
    private int last;

    Gathering(WriteQueue queue, CompletionQueue completions) {
        this.queue = queue;
        this.completions = completions;
    }

    /** For the log task: a group of so many is on its way to be told. */
    void left(int writes) {
        last = writes;
    }

    /** For the log task: whether it ends here, to be woken when there is more, or all were told. */
    boolean holds() {
        wanted = last;
        int waiting = queue.gatherable();
        if (waiting > 0 && waiting < last && completions.isTelling()) {
            return true;
        }
        wanted = 0;
        return false;
    }

    /** For who brings a write: whether the log task is to look, now that so many wait. */
    boolean isEnough(int waiting) {
        int least = wanted;
        return least == 0 || waiting >= least;
    }

    /** For who has told all: whether the log task waits for that. */
    boolean isAwaited() {
        return wanted > 0;
    }
}
