package dev.quorate.testkit.cluster;

import dev.quorate.node.runtime.SystemTicker;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * How an embedded cluster is to be.
 *
 * @param nodes how many
 * @param settings options of every node, by their names
 * @param wallClock the time at which the nodes' clocks begin; null for the machine's
 * @param seed of what the network does by chance
 * @param clientTimeout how long clients wait
 */
public record ClusterPlan(
        int nodes,
        Map<String, String> settings,
        @Nullable Instant wallClock,
        long seed,
        Duration clientTimeout) {

    private static final int MAX_NODES = 64;

    /** Small files, which are quickly made, and few threads. All else is as in production. */
    private static final Map<String, String> SETTINGS =
            Map.of(
                    "memtable-bytes", "1MiB",
                    "segment-bytes", "2MiB",
                    "reserved-disk-bytes", "1MiB",
                    "selectors", "1",
                    "peer-selectors", "1");

    public ClusterPlan {
        if (nodes < 1 || nodes > MAX_NODES) {
            throw new IllegalArgumentException(
                    "A cluster has 1 to " + MAX_NODES + " nodes, not " + nodes + ".");
        }
        settings = Map.copyOf(settings);
        Objects.requireNonNull(clientTimeout, "clientTimeout");
    }

    public static ClusterPlan defaults() {
        Long given = Long.getLong("quorate.seed");
        return new ClusterPlan(
                3,
                SETTINGS,
                null,
                given == null ? SystemTicker.INSTANCE.nanos() : given,
                Duration.ofSeconds(10));
    }

    public ClusterPlan withNodes(int count) {
        return new ClusterPlan(count, settings, wallClock, seed, clientTimeout);
    }

    public ClusterPlan withSetting(String key, String value) {
        Map<String, String> more = new TreeMap<>(settings);
        more.put(key, value);
        return new ClusterPlan(nodes, more, wallClock, seed, clientTimeout);
    }

    public ClusterPlan withWallClock(Instant begin) {
        return new ClusterPlan(nodes, settings, begin, seed, clientTimeout);
    }

    public ClusterPlan withSeed(long number) {
        return new ClusterPlan(nodes, settings, wallClock, number, clientTimeout);
    }

    public ClusterPlan withClientTimeout(Duration timeout) {
        return new ClusterPlan(nodes, settings, wallClock, seed, timeout);
    }

    /** How far the cluster's time is ahead of the machine's, in milliseconds. */
    long originMillis() {
        return wallClock == null
                ? 0
                : wallClock.toEpochMilli() - SystemTicker.INSTANCE.wallMillis();
    }
}
