package dev.quorate.node.background;

import java.time.Duration;

/**
 * How long a job waits after failures in a row: each time twice as long as before, up to a limit.
 * Only decides. Not safe for use by two threads.
 */
public final class Backoff {

    private final Duration first;
    private final Duration longest;
    private Duration next;
    private int failuresInARow;
    private boolean due;

    /**
     * @param first after the first failure
     * @param longest not less than {@code first}; the same for equal pauses
     */
    public Backoff(Duration first, Duration longest) {
        this.first = first;
        this.longest = longest;
        this.next = first;
    }

    /** Something failed. */
    public void failed() {
        failuresInARow++;
        due = true;
    }

    /** Something succeeded: no pause is due, and the next failure is the first in a row. */
    public void succeeded() {
        failuresInARow = 0;
        next = first;
        due = false;
    }

    /** How often it has failed since it succeeded last. */
    public int failuresInARow() {
        return failuresInARow;
    }

    /** Whether it has failed since the last pause. */
    public boolean isDue() {
        return due;
    }

    /** The pause that is due now, and is not due any more. */
    public Duration take() {
        due = false;
        Duration taken = next;
        Duration twice = next.multipliedBy(2);
        next = twice.compareTo(longest) > 0 ? longest : twice;
        return taken;
    }
}
