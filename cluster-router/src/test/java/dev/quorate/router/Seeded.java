package dev.quorate.router;

import java.util.random.RandomGenerator;
import java.util.random.RandomGeneratorFactory;

/**
 * Runs a property for many random cases.
 *
 * <p>Every case has a seed of its own, which is printed when the case fails. With {@code
 * -Dquorate.seed=N} that case is the first.
 */
public final class Seeded {

    private static final String PROPERTY = "quorate.seed";

    /** A property of one case. */
    @FunctionalInterface
    public interface Property {
        void check(RandomGenerator random);
    }

    private Seeded() {}

    public static void forAll(String name, int cases, Property property) {
        long first = Long.getLong(PROPERTY, System.nanoTime());
        System.out.printf("%s: %d cases from seed %d%n", name, cases, first);
        for (int i = 0; i < cases; i++) {
            check(name, first + i, property);
        }
    }

    private static void check(String name, long seed, Property property) {
        try {
            property.check(RandomGeneratorFactory.of("L64X128MixRandom").create(seed));
        } catch (AssertionError | RuntimeException e) {
            throw new AssertionError(
                    name + " failed; again with -D" + PROPERTY + "=" + seed + ": " + e.getMessage(),
                    e);
        }
    }
}
