package dev.quorate.testkit;

import java.time.Duration;
import java.util.SplittableRandom;

/** The direction from one node to another, with its faults. Thread-safe. */
final class Direction {

    record Fate(boolean isLost, boolean isRepeated, Duration delay) {}

    private final int from;
    private final int to;

    // All guarded by this.
    private final SplittableRandom random;
    private boolean cut;
    private double loss;
    private double repetition;
    private long leastDelayNanos;
    private long mostDelayNanos;

    Direction(int from, int to, SplittableRandom random) {
        this.from = from;
        this.to = to;
        this.random = random;
    }

    int from() {
        return from;
    }

    int to() {
        return to;
    }

    synchronized boolean isCut() {
        return cut;
    }

    synchronized Fate next() {
        // Each message takes three draws, so that a fault does not shift later draws.
        boolean isLost = random.nextDouble() < loss || cut;
        boolean isRepeated = random.nextDouble() < repetition;
        double place = random.nextDouble();
        long delay = leastDelayNanos + (long) (place * (mostDelayNanos - leastDelayNanos));
        return new Fate(isLost, isRepeated, Duration.ofNanos(delay));
    }

    synchronized void cut() {
        cut = true;
    }

    synchronized void setLoss(double likelihood) {
        loss = likelihood;
    }

    synchronized void setRepetition(double likelihood) {
        repetition = likelihood;
    }

    synchronized void setDelay(Duration least, Duration most) {
        leastDelayNanos = least.toNanos();
        mostDelayNanos = most.toNanos();
    }

    synchronized void heal() {
        cut = false;
        loss = 0;
        repetition = 0;
        leastDelayNanos = 0;
        mostDelayNanos = 0;
    }

    /** The faults in words; empty if there are none. */
    synchronized String troubles() {
        if (cut) {
            return "cut";
        }
        StringBuilder text = new StringBuilder();
        if (loss > 0) {
            text.append(" loses ").append(loss);
        }
        if (repetition > 0) {
            text.append(" repeats ").append(repetition);
        }
        if (mostDelayNanos > 0) {
            Duration least = Duration.ofNanos(leastDelayNanos);
            text.append(" delays " + least + " to " + Duration.ofNanos(mostDelayNanos));
        }
        return text.toString().strip();
    }

    @Override
    public String toString() {
        return "n" + from + " to n" + to;
    }
}
