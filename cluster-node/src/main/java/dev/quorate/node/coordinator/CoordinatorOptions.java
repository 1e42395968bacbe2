package dev.quorate.node.coordinator;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * The limits of a coordinator.
 *
 * @param operationTimeout how long a client's operation may take, and one page of a range. Too
 *     short: a slow fsync of a replica becomes a 504. Too long: clients wait for a dead peer until
 *     its breaker opens. The default is 2 s.
 * @param maxOutstanding reads and writes that may be in progress; more are refused at once. Each
 *     takes about a kilobyte of heap beside its key and value. The default is 16,384.
 * @param maxScans ranges that may be open. Each takes some kilobytes. The default is 1,024.
 * @param pagingScans ranges that may buffer pages at once, one page for each member; the others
 *     wait for their turn. The default is 16.
 * @param pageBytes bytes of keys and values in one page of a range. The default is 256 KiB.
 */
public record CoordinatorOptions(
        Duration operationTimeout,
        int maxOutstanding,
        int maxScans,
        int pagingScans,
        int pageBytes) {

    public CoordinatorOptions {
        List<String> violations = new ArrayList<>();
        if (!operationTimeout.isPositive()) {
            violations.add("operationTimeout must be positive");
        }
        if (maxOutstanding < 1) {
            violations.add("maxOutstanding must be at least 1");
        }
        if (maxScans < 1) {
            violations.add("maxScans must be at least 1");
        }
        if (pagingScans < 1) {
            violations.add("pagingScans must be at least 1");
        }
        if (pageBytes < 1) {
            violations.add("pageBytes must be at least 1");
        }
        if (!violations.isEmpty()) {
            throw new IllegalArgumentException(String.join("; ", violations));
        }
    }

    /** The defaults. */
    public static CoordinatorOptions defaults() {
        return forTimeout(Duration.ofSeconds(2));
    }

    /** The defaults, except for the timeout of an operation. */
    public static CoordinatorOptions forTimeout(Duration operationTimeout) {
        return new CoordinatorOptions(operationTimeout, 16_384, 1_024, 16, 256 << 10);
    }
}
