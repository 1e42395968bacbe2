package dev.quorate.testkit.history;

import java.util.Random;

/**
 * Random input that can be had again: the seed is printed, and {@code -Dquorate.seed} repeats it.
 */
public final class Seed {

    private Seed() {}

    /** A source for a test, which is named with the seed. */
    public static Random random(String test) {
        long seed = Long.getLong("quorate.seed", System.nanoTime());
        System.out.println(test + ": -Dquorate.seed=" + seed);
        return new Random(seed);
    }
}
