package dev.quorate.loadtest.scenario;

import java.util.OptionalInt;

/**
 * Finds the highest rate that holds, by trying few. It begins below what was reached without a
 * rate, goes down by a quarter until one holds, and then halves the gap between the highest that
 * held and the lowest that did not.
 *
 * <p>Pure: it returns the next rate to try, and receives the result.
 */
final class BreakingPointSearch {

    /** With an open loop, no rate can be reached that is higher by more than noise. */
    private static final double CEILING = 1.05;

    private static final double FIRST = 0.9;
    private static final double DOWN = 0.75;

    /** The gap that is left may be such a share of the rate. */
    private static final double CLOSE_ENOUGH = 0.05;

    private final int mostSteps;
    private int steps;
    private double held;
    private double notHeld;
    private int tried;

    /**
     * @param reached requests a second without a rate
     * @param mostSteps how many rates may be tried
     */
    BreakingPointSearch(double reached, int mostSteps) {
        this.notHeld = reached * CEILING;
        this.mostSteps = mostSteps;
        this.tried = rounded(reached * FIRST);
    }

    /** The rate to be tried next, in requests a second; nothing when the search is over. */
    OptionalInt next() {
        boolean isFound = held > 0 && notHeld - held <= CLOSE_ENOUGH * held;
        return isFound || steps == mostSteps || tried < 1
                ? OptionalInt.empty()
                : OptionalInt.of(tried);
    }

    /** Records the result of the rate that {@link #next} returned. */
    void tried(boolean hasHeld) {
        steps++;
        if (hasHeld) {
            held = Math.max(held, tried);
        } else {
            notHeld = Math.min(notHeld, tried);
        }
        int next = rounded(held > 0 ? (held + notHeld) / 2 : tried * DOWN);
        boolean isNew = next > held && next < notHeld;
        tried = isNew ? next : 0;
    }

    /** The highest rate that held; 0 if none did. */
    int found() {
        return (int) held;
    }

    /** To three digits: no measurement is more exact. */
    private static int rounded(double rate) {
        int unit = 1;
        while (rate / unit >= 1_000) {
            unit *= 10;
        }
        return (int) (Math.floor(rate / unit) * unit);
    }
}
