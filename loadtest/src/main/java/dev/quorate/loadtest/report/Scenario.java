package dev.quorate.loadtest.report;

import dev.quorate.loadtest.load.Load;
import dev.quorate.loadtest.load.Load.Operation;
import dev.quorate.loadtest.report.ScenarioResult.Published;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A load with a name.
 *
 * @param name identifies the scenario in file names: lower-case letters, digits and hyphens
 * @param profiled whether the nodes are profiled under this load
 * @param published the figures of another report for the same load, or null
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
        boolean profiled,
        @Nullable Published published) {

    /** Values of at least this size wait for memory, and nodes may refuse them. */
    private static final int LARGE_BYTES = 1 << 20;

    public boolean needsBreakingPoint() {
        return rate instanceof RateRule.Share;
    }

    /** Whether the scenario starts with a new cluster without keys. */
    public boolean startsFresh() {
        return rate instanceof RateRule.FromStart;
    }

    public Set<Integer> tolerated() {
        return startsFresh()
                ? Set.of(503, 504)
                : valueBytes >= LARGE_BYTES ? Set.of(503) : Set.of();
    }

    public sealed interface RateRule {

        /** A share of the breaking point. */
        record Share() implements RateRule {}

        record Fixed(int perSecond) implements RateRule {}

        /** Each request follows the answer to the previous one. */
        record AsAnswered() implements RateRule {}

        /**
         * The same as {@link AsAnswered}, once, on a new cluster from the moment it is ready.
         * Refused and unconfirmed writes are counted and are not errors.
         */
        record FromStart() implements RateRule {}
    }
}
