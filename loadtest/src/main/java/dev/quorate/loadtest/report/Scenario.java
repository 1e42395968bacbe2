package dev.quorate.loadtest.report;

import dev.quorate.loadtest.load.Load;
import dev.quorate.loadtest.load.Load.Operation;
import java.util.Set;

/**
 * A load with a name.
 *
 * @param name identifies the scenario in file names: lower-case letters, digits and hyphens
 * @param profiled whether the nodes are profiled under this load
 */
public record Scenario(
        String name,
        String title,
        int nodes,
        Operation operation,
        String replicas,
        Load.Clients clients,
        int valueBytes,
        RateRule rate,
        boolean profiled) {

    /** Values of at least this size wait for memory, and nodes may refuse them. */
    private static final int LARGE_BYTES = 1 << 20;

    public boolean needsBreakingPoint() {
        return rate == RateRule.SHARE;
    }

    /** Whether the scenario starts with a new cluster without keys. */
    public boolean startsFresh() {
        return rate == RateRule.FROM_START;
    }

    public Set<Integer> tolerated() {
        return startsFresh()
                ? Set.of(503, 504)
                : valueBytes >= LARGE_BYTES ? Set.of(503) : Set.of();
    }

    public enum RateRule {
        /** A share of the breaking point. */
        SHARE,

        /** Each request follows the answer to the previous one. */
        AS_ANSWERED,

        /**
         * The same as {@link #AS_ANSWERED}, once, on a new cluster from the moment it is ready.
         * Refused and unconfirmed writes are counted and are not errors.
         */
        FROM_START
    }
}
