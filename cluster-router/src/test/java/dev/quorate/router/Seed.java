package dev.quorate.router;

import java.util.Random;
import java.util.random.RandomGenerator;

/**
 * Random input that can be had again: the seed is printed, and {@code -Dquorate.seed} repeats it.
 */
public final class Seed {

    private Seed() {}

    /** A source of random input for the test of that name. */
    public static RandomGenerator random(String test) {
        long seed = Long.getLong("quorate.seed", System.nanoTime());
        System.out.println(test + ": -Dquorate.seed=" + seed);
        return new Random(seed);
    }
}
