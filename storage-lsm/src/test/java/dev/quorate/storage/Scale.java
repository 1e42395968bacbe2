package dev.quorate.storage;

/**
 * How much of a random test is run: in a normal run a part of it, with a new seed each time; all of
 * it with {@code -Dquorate.tests.scale=full}.
 */
public final class Scale {

    private static final boolean FULL = "full".equals(System.getProperty("quorate.tests.scale"));

    private Scale() {}

    /** The number of rounds: {@code full}, or one in so many of it. */
    public static int of(int full, int divisor) {
        return FULL ? full : full / divisor;
    }

    /** How many things to go on by: 1, all of them, or in a normal run {@code step}. */
    public static int every(int step) {
        return FULL ? 1 : step;
    }

    /** The seed given by {@code -Dquorate.seed}, or a new one; printed, so that it can be given. */
    public static long seed(String test) {
        long seed = Long.getLong("quorate.seed", System.nanoTime());
        System.out.println(test + ": -Dquorate.seed=" + seed);
        return seed;
    }
}
