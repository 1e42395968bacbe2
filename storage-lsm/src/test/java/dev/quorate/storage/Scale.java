package dev.quorate.storage;

/**
 * The scale of random tests: a normal run executes a part of the rounds, with a new seed each time;
 * {@code -Dquorate.tests.scale=full} executes all of them.
 */
public final class Scale {

    private static final boolean FULL = "full".equals(System.getProperty("quorate.tests.scale"));

    private Scale() {}

    /** The number of rounds: {@code full}, or a fraction of 1/{@code divisor} in a normal run. */
    public static int of(int full, int divisor) {
        return FULL ? full : full / divisor;
    }

    /** The step of an exhaustive loop: 1 in a full run, {@code step} in a normal run. */
    public static int every(int step) {
        return FULL ? 1 : step;
    }

    /** The seed of {@code -Dquorate.seed}, or a new one; printed for replay. */
    public static long seed(String test) {
        long seed = Long.getLong("quorate.seed", System.nanoTime());
        System.out.println(test + ": -Dquorate.seed=" + seed);
        return seed;
    }
}
