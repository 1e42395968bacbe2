package dev.quorate.loadtest.report;

import dev.quorate.loadtest.load.Load;
import dev.quorate.loadtest.load.Load.Operation;
import dev.quorate.loadtest.report.ScenarioResult.Published;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A load with a name.
 *
 * @param name the part of file names that is its own: lower-case letters, digits and hyphens
 * @param title what readers call it
 * @param nodes of the cluster
 * @param replicas {@code ack/from}
 * @param clients who sends the requests
 * @param valueBytes the size of a value
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

    /** Values from this size on wait for memory, and may be refused. */
    private static final int LARGE_BYTES = 1 << 20;

    /** Whether its breaking point has to be known. */
    public boolean needsBreakingPoint() {
        return rate instanceof RateRule.Share;
    }

    /** Whether it starts with a cluster of its own, without keys. */
    public boolean startsFresh() {
        return rate instanceof RateRule.FromStart;
    }

    /** Whether a server with that API, running elsewhere, can be sent this load. */
    public boolean fits(Load.Api api) {
        return !startsFresh() && (api.isOurs() || operation.isCommon());
    }

    /** Statuses that are no error. */
    public Set<Integer> tolerated() {
        return startsFresh()
                ? Set.of(503, 504)
                : valueBytes >= LARGE_BYTES ? Set.of(503) : Set.of();
    }

    /** At which rate a scenario runs. */
    public sealed interface RateRule {

        /** At a share of its breaking point. */
        record Share() implements RateRule {}

        /** At this many requests a second. */
        record Fixed(int perSecond) implements RateRule {}

        /** As fast as the answers come. */
        record AsAnswered() implements RateRule {}

        /**
         * As fast as the answers come, once, on a cluster of its own from the moment it is ready.
         * What it refuses or does not confirm in time is counted, and is no error.
         */
        record FromStart() implements RateRule {}
    }
}
