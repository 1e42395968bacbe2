package dev.quorate.node.coordinator;

import java.util.concurrent.atomic.LongAdder;

/** The counters of operations, which {@link CoordinatorStatistics} describes. */
final class OperationCounters {

    final LongAdder readQuorumFailures = new LongAdder();
    final LongAdder writeQuorumFailures = new LongAdder();
    final LongAdder refused = new LongAdder();
    final LongAdder restamps = new LongAdder();
    final LongAdder readRepairs = new LongAdder();
    final LongAdder hedges = new LongAdder();
    final LongAdder versionsTaken = new LongAdder();
}
