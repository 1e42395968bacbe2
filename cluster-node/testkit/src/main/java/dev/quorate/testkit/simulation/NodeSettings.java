package dev.quorate.testkit.simulation;

import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;

/**
 * The options of a simulated cluster's nodes that differ from one to another.
 *
 * @param hintWindow how long after it was stamped a write is kept for who missed it; zero: never
 * @param hintBytes the most that is kept for one of them
 * @param repairInterval between two comparisons with the others; zero: none
 */
record NodeSettings(Duration hintWindow, long hintBytes, Duration repairInterval) {

    /** Short, so that repairs happen while things break. */
    private static final Duration REPAIR_INTERVAL = Duration.ofSeconds(3);

    private static final List<Duration> HINT_WINDOWS =
            List.of(Duration.ofHours(3), Duration.ofHours(3), Duration.ofSeconds(2), Duration.ZERO);

    /** So that tombstones are dropped in the time that is simulated. */
    private static final List<Duration> SHORT_HINT_WINDOWS =
            List.of(Duration.ofSeconds(1), Duration.ZERO);

    private static final List<Long> HINT_BYTES = List.of(256L << 10, 256L << 10, 2L << 10);

    /** All writes are kept for who missed them, and nothing is compared. */
    static NodeSettings hintsAlone() {
        return new NodeSettings(HINT_WINDOWS.getFirst(), HINT_BYTES.getFirst(), Duration.ZERO);
    }

    /** Some drawn from the seed. */
    static NodeSettings random(SplittableRandom random, Workload.Kind work) {
        List<Duration> windows =
                switch (work) {
                    case ANY, MAJORITIES, REGISTERS -> HINT_WINDOWS;
                    case DELETES -> SHORT_HINT_WINDOWS;
                };
        return new NodeSettings(
                windows.get(random.nextInt(windows.size())),
                HINT_BYTES.get(random.nextInt(HINT_BYTES.size())),
                REPAIR_INTERVAL);
    }
}
