package dev.quorate.router.background;

import java.time.Duration;

/**
 * Exponential back-off: the pause after failures in a row doubles, up to a limit. Pure; not
 * thread-safe.
 */
public final class Backoff {

    private final Duration first;
    private final Duration longest;
    private Duration next;
    private int failuresInARow;
    private boolean due;

    /**
     * @param first the pause after the first failure
     * @param longest the longest pause, at least {@code first}; the same for equal pauses
     */
    public Backoff(Duration first, Duration longest) {
        this.first = first;
        this.longest = longest;
        this.next = first;
    }

    public void failed() {
        failuresInARow++;
        due = true;
    }

    /** Notes a success: no pause is due, and the next failure is the first in a row. */
    public void succeeded() {
        failuresInARow = 0;
        next = first;
        due = false;
    }

    /** Number of failures since the last success. */
    public int failuresInARow() {
        return failuresInARow;
    }

    /** Whether there was a failure since the last pause. */
    public boolean isDue() {
        return due;
    }

    /** Returns the pause that is due, and prepares the next one. */
    public Duration take() {
        due = false;
        Duration taken = next;
        Duration twice = next.multipliedBy(2);
        next = twice.compareTo(longest) > 0 ? longest : twice;
        return taken;
    }
}
