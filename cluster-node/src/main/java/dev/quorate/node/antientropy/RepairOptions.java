package dev.quorate.node.antientropy;

import java.time.Duration;

/**
 * The options of repairs.
 *
 * @param interval between two repairs with all peers; zero: only on request. Longer: replicas
 *     differ for longer. The default is one hour.
 * @param bytesPerSecond the most bytes of entries read, and of messages, in a second; 0 for no
 *     limit. More: other work is slower meanwhile. The default is 16 MiB.
 * @param rebuildBytesPerSecond the same while the node rebuilds and does not vote. The default is
 *     64 MiB.
 */
public record RepairOptions(Duration interval, long bytesPerSecond, long rebuildBytesPerSecond) {
    public RepairOptions {
        if (interval.isNegative() || bytesPerSecond < 0 || rebuildBytesPerSecond < 0) {
            throw new IllegalArgumentException(
                    "interval and bytesPerSecond must not be negative: "
                            + interval
                            + ", "
                            + bytesPerSecond);
        }
    }
}
