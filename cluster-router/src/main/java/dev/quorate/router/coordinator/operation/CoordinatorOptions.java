package dev.quorate.router.coordinator.operation;

import dev.quorate.router.runtime.Requirements;
import java.time.Duration;

/**
 * The limits of a coordinator.
 *
 * @param operationTimeout timeout of a client's operation, and of one page of a range. If it is too
 *     short, a slow fsync of a replica becomes a 504. If it is too long, clients wait for a dead
 *     peer until its breaker opens. The default is 2 s.
 * @param maxOutstanding maximum number of reads and writes in progress; more are refused at once.
 *     Each takes about a kilobyte of heap in addition to its key and value. The default is 16,384.
 * @param maxScans maximum number of open ranges. Each takes a few kilobytes. The default is 1,024.
 * @param pagingScans maximum number of ranges that buffer pages at once, one page for each member;
 *     the others wait for their turn. The default is 16.
 * @param pageBytes bytes of keys and values in one page of a range. The default is 256 KiB.
 */
public record CoordinatorOptions(
        Duration operationTimeout,
        int maxOutstanding,
        int maxScans,
        int pagingScans,
        int pageBytes) {

    public CoordinatorOptions {
        new Requirements()
                .require(operationTimeout.isPositive(), "operationTimeout must be positive")
                .require(maxOutstanding >= 1, "maxOutstanding must be at least 1")
                .require(maxScans >= 1, "maxScans must be at least 1")
                .require(pagingScans >= 1, "pagingScans must be at least 1")
                .require(pageBytes >= 1, "pageBytes must be at least 1")
                .check();
    }

    /** The defaults, except for the timeout of an operation. */
    public static CoordinatorOptions forTimeout(Duration operationTimeout) {
        return new CoordinatorOptions(operationTimeout, 16_384, 1_024, 16, 256 << 10);
    }
}
