package dev.quorate.loadtest.scenario;

import dev.quorate.loadtest.load.Load;
import dev.quorate.loadtest.report.Published;
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
        Load.Operation operation,
        String replicas,
        Load.Clients clients,
        int valueBytes,
        RateRule rate,
        boolean profiled,
        @Nullable Published published) {

    /** Whether its breaking point has to be known. */
    boolean needsBreakingPoint() {
        return rate instanceof RateRule.Share;
    }

    Scenario profiledToo() {
        return new Scenario(
                name,
                title,
                nodes,
                operation,
                replicas,
                clients,
                valueBytes,
                rate,
                true,
                published);
    }
}
