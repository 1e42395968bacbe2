package dev.quorate.testkit.cluster;

import dev.quorate.node.runtime.SystemTicker;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The options of an embedded cluster.
 *
 * @param nodes the number of nodes
 * @param settings options of every node, by their names
 * @param wallClock the time at which the nodes' clocks begin; null for the machine's
 * @param seed of the network's random faults
 * @param clientTimeout the request timeout of clients
 */
public record TestClusterOptions(
        int nodes,
        Map<String, String> settings,
        @Nullable Instant wallClock,
        long seed,
        Duration clientTimeout) {

    private static final int MAX_NODES = 64;

    /** Small files and few threads, for fast starts. All other options are those of production. */
    private static final Map<String, String> SETTINGS =
            Map.of(
                    "memtable-bytes", "1MiB",
                    "segment-bytes", "2MiB",
                    "reserved-disk-bytes", "1MiB",
                    "selectors", "1");

    public TestClusterOptions {
        if (nodes < 1 || nodes > MAX_NODES) {
            throw new IllegalArgumentException(
                    "A cluster has 1 to " + MAX_NODES + " nodes, not " + nodes + ".");
        }
        settings = Map.copyOf(settings);
        Objects.requireNonNull(clientTimeout, "clientTimeout");
    }

    public static TestClusterOptions defaults() {
        Long given = Long.getLong("quorate.seed");
        return new TestClusterOptions(
                3,
                SETTINGS,
                null,
                given == null ? SystemTicker.INSTANCE.nanos() : given,
                Duration.ofSeconds(10));
    }

    public TestClusterOptions withNodes(int count) {
        return new TestClusterOptions(count, settings, wallClock, seed, clientTimeout);
    }

    public TestClusterOptions withSetting(String key, String value) {
        Map<String, String> more = new TreeMap<>(settings);
        more.put(key, value);
        return new TestClusterOptions(nodes, more, wallClock, seed, clientTimeout);
    }

    public TestClusterOptions withWallClock(Instant begin) {
        return new TestClusterOptions(nodes, settings, begin, seed, clientTimeout);
    }

    public TestClusterOptions withSeed(long number) {
        return new TestClusterOptions(nodes, settings, wallClock, number, clientTimeout);
    }

    public TestClusterOptions withClientTimeout(Duration timeout) {
        return new TestClusterOptions(nodes, settings, wallClock, seed, timeout);
    }

    /** How far the cluster's time is ahead of the machine's, in milliseconds. */
    long originMillis() {
        return wallClock == null
                ? 0
                : wallClock.toEpochMilli() - SystemTicker.INSTANCE.wallMillis();
    }
}
