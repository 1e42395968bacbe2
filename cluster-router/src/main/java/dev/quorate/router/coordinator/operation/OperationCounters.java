package dev.quorate.router.coordinator.operation;

import dev.quorate.storage.Figures;
import java.util.concurrent.atomic.LongAdder;

/** The counters of operations. */
public final class OperationCounters {

    public final LongAdder readQuorumFailures = new LongAdder();
    public final LongAdder writeQuorumFailures = new LongAdder();
    public final LongAdder refused = new LongAdder();
    public final LongAdder restamps = new LongAdder();
    public final LongAdder readRepairs = new LongAdder();
    public final LongAdder hedges = new LongAdder();
    public final LongAdder versionsTaken = new LongAdder();

    public void register(Figures figures) {
        String failures = "Operations that too few replicas answered.";
        figures.counter("quorum_failures", failures, readQuorumFailures::sum, "op", "read");
        figures.counter("quorum_failures", failures, writeQuorumFailures::sum, "op", "write");
        figures.counter(
                "requests_rejected",
                "Requests and connections refused before any work.",
                refused::sum,
                "listener",
                "client",
                "reason",
                "queue");
        figures.counter(
                "restamps",
                "Writes sent again with a later version, because a replica had a newer entry.",
                restamps::sum);
        figures.counter(
                "versions_taken",
                "Writes refused because another write has the same version.",
                versionsTaken::sum);
        figures.counter(
                "read_hedges", "Slow reads that were sent to one more replica.", hedges::sum);
    }
}
