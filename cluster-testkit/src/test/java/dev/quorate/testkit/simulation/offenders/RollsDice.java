package dev.quorate.testkit.simulation.offenders;

import java.util.Collections;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.ThreadLocalRandom;

/** Break a rule on purpose. */
public final class RollsDice {

    private RollsDice() {}

    public static final class PerThread {
        int roll() {
            return ThreadLocalRandom.current().nextInt();
        }
    }

    public static final class Unseeded {
        SplittableRandom dice() {
            return new SplittableRandom();
        }
    }

    public static final class Shuffles {
        void shuffle(List<String> names) {
            Collections.shuffle(names);
        }
    }

    public static final class Identity {
        int number() {
            return System.identityHashCode(this);
        }
    }
}
