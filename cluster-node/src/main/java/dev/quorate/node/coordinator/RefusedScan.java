package dev.quorate.node.coordinator;

import dev.quorate.node.coordinator.Outcome.ReplicaFailure;
import java.util.List;

/** A range read that was refused. */
record RefusedScan(ReplicaFailure failure) implements ScanStream {

    @Override
    public void next(ScanCallback callback) {
        Explanation explanation =
                new Explanation(List.of("no replica was asked: " + failure.detail()), List.of());
        callback.failed(new Outcome.QuorumFailed(null, List.of(), List.of(failure), explanation));
    }

    @Override
    public void close() {}
}
