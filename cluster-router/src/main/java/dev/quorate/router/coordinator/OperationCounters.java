package dev.quorate.router.coordinator;

import dev.quorate.storage.Figures;
import java.util.concurrent.atomic.LongAdder;

/** The counters of operations. */
final class OperationCounters {

    final LongAdder readQuorumFailures = new LongAdder();
    final LongAdder writeQuorumFailures = new LongAdder();
    final LongAdder refused = new LongAdder();
    final LongAdder restamps = new LongAdder();
    final LongAdder readRepairs = new LongAdder();
    final LongAdder hedges = new LongAdder();
    final LongAdder versionsTaken = new LongAdder();

    void register(Figures figures) {
        String failures = "Operations that too few replicas answered.";
        figures.counter("quorum_failures", failures, readQuorumFailures::sum, "op", "read");
        figures.counter("quorum_failures", failures, writeQuorumFailures::sum, "op", "write");
        figures.counter(
                "requests_rejected",
                "Requests and connections turned away with nothing attempted.",
                refused::sum,
                "listener",
                "client",
                "reason",
                "queue");
        figures.counter(
                "restamps",
                "Writes sent again with a later version, because a replica held a newer entry.",
                restamps::sum);
        figures.counter(
                "versions_taken",
                "Writes refused because another write has their version.",
                versionsTaken::sum);
        figures.counter(
                "read_hedges",
                "Reads that took longer than nearly all do, and asked one replica more.",
                hedges::sum);
    }
}
