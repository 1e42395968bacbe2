package dev.quorate.testkit.simulation;

import dev.quorate.node.config.NodeOptions;
import dev.quorate.node.config.OptionsReader;
import dev.quorate.router.runtime.Units;
import dev.quorate.router.topology.Member;
import dev.quorate.router.topology.Topology;
import dev.quorate.storage.Durability;
import dev.quorate.storage.StorageOptions;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.stream.Collectors;

/**
 * The options of the nodes of a simulated cluster that differ between clusters.
 *
 * @param hintWindow the maximum age of a write with hints; zero disables hints
 * @param hintBytes the limit of hints for one replica, in bytes
 * @param repairInterval the time between two repairs; zero disables them
 */
record NodeSettings(Duration hintWindow, long hintBytes, Duration repairInterval) {

    /** Small files, so that a short history covers flushes, compactions and recycled segments. */
    private static final StorageOptions STORAGE =
            StorageOptions.defaults()
                    .withMemtableBytes(8 << 10)
                    .withSegmentBytes(16 << 10)
                    .withBlockBytes(1 << 10)
                    .withReservedDiskBytes(0);

    /** Short, so that repairs run during faults. */
    private static final Duration REPAIR_INTERVAL = Duration.ofSeconds(3);

    private static final List<Duration> HINT_WINDOWS =
            List.of(Duration.ofHours(3), Duration.ofHours(3), Duration.ofSeconds(2), Duration.ZERO);

    /** Short, so that tombstones are dropped within the simulated time. */
    private static final List<Duration> SHORT_HINT_WINDOWS =
            List.of(Duration.ofSeconds(1), Duration.ZERO);

    private static final List<Long> HINT_BYTES = List.of(256L << 10, 256L << 10, 2L << 10);

    static NodeSettings random(SplittableRandom random, Workload.Kind work) {
        List<Duration> windows = work == Workload.Kind.DELETES ? SHORT_HINT_WINDOWS : HINT_WINDOWS;
        return new NodeSettings(
                windows.get(random.nextInt(windows.size())),
                HINT_BYTES.get(random.nextInt(HINT_BYTES.size())),
                REPAIR_INTERVAL);
    }

    /**
     * The options of one node.
     *
     * @param trustsEmptyDisk whether a node with an empty directory counts as a new member
     * @param foundsNew whether a majority of empty members may found the cluster
     */
    NodeOptions options(
            Member member,
            Topology topology,
            Path data,
            Durability durability,
            boolean trustsEmptyDisk,
            boolean foundsNew) {
        Map<String, String> texts =
                Map.ofEntries(
                        Map.entry("name", member.name()),
                        Map.entry("topology", text(topology)),
                        Map.entry("replication-factor", "" + topology.replicationFactor()),
                        Map.entry("data", data.toString()),
                        Map.entry("secret", "simulated-cluster"),
                        Map.entry("max-value-bytes", "1MiB"),
                        Map.entry("request-timeout", "500ms"),
                        Map.entry("hint-window", Units.DURATION.text(hintWindow.toMillis())),
                        Map.entry("hint-bytes", Units.SIZE.text(hintBytes)),
                        Map.entry("hint-bytes-per-second", "256KiB"),
                        Map.entry(
                                "repair-interval", Units.DURATION.text(repairInterval.toMillis())),
                        Map.entry("repair-bytes-per-second", "1MiB"),
                        Map.entry("rebuild-bytes-per-second", "0"),
                        Map.entry("trust-empty-disk", "" + trustsEmptyDisk),
                        Map.entry("founding", foundsNew ? "new" : "together"));
        return OptionsReader.read(texts).withStorage(any -> STORAGE.withDurability(durability));
    }

    private static String text(Topology topology) {
        return topology.members().stream().map(Object::toString).collect(Collectors.joining(","));
    }
}
