package dev.quorate.testkit.simulation;

import dev.quorate.node.config.LogFormat;
import dev.quorate.node.config.NodeOptions;
import dev.quorate.node.config.Secret;
import dev.quorate.router.topology.Member;
import dev.quorate.router.topology.Topology;
import dev.quorate.storage.Durability;
import dev.quorate.storage.StorageOptions;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;

/**
 * The options of a simulated cluster's nodes, of which some differ from one cluster to another.
 *
 * @param hintWindow how long after it was stamped a write is kept for who missed it; zero: never
 * @param hintBytes the most that is kept for one of them
 * @param repairInterval between two comparisons with the others; zero: none
 */
record NodeSettings(Duration hintWindow, long hintBytes, Duration repairInterval) {

    private static final Secret SECRET = new Secret("simulated-cluster");
    private static final long HINT_BYTES_PER_SECOND = 256 << 10;
    private static final long REPAIR_BYTES_PER_SECOND = 1 << 20;

    /** Small, so that a short history sees flushes, compactions and segments used again. */
    private static final StorageOptions STORAGE =
            StorageOptions.defaults()
                    .withMemtableBytes(8 << 10)
                    .withSegmentBytes(16 << 10)
                    .withBlockBytes(1 << 10)
                    .withReservedDiskBytes(0);

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

    /**
     * Those of one node.
     *
     * @param trustsEmptyDisk whether it takes a directory without data for one that never had any
     */
    NodeOptions options(
            Member member,
            Topology topology,
            Path data,
            Durability durability,
            boolean trustsEmptyDisk) {
        return new NodeOptions(
                member,
                topology,
                data,
                SECRET,
                new NodeOptions.Listening(
                        "localhost", member.url().getPort(), 10_000, 1, 1, List.of()),
                Map.of(),
                new NodeOptions.Limits(1 << 20, 16 << 20, 1_000, 1_000, 2),
                new NodeOptions.Timing(
                        Duration.ofMillis(500),
                        Duration.ofSeconds(5),
                        Duration.ofSeconds(60),
                        Duration.ofSeconds(5),
                        Duration.ofMillis(500)),
                STORAGE.withDurability(durability),
                new NodeOptions.Hints(hintWindow, hintBytes, HINT_BYTES_PER_SECOND),
                new NodeOptions.Repair(repairInterval, REPAIR_BYTES_PER_SECOND, 0, trustsEmptyDisk),
                LogFormat.TEXT);
    }
}
