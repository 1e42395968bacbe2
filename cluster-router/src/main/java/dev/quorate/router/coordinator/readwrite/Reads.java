package dev.quorate.router.coordinator.readwrite;

import dev.quorate.router.coordinator.admission.OperationGate;
import dev.quorate.router.coordinator.operation.OperationContext;
import dev.quorate.router.coordinator.operation.OutcomeCallback;
import dev.quorate.router.quorum.QuorumSpec;

/** Reads single keys, for clients and for repairs. */
public record Reads(OperationContext context, OperationGate gate) {

    public void read(byte[] key, QuorumSpec spec, OutcomeCallback callback) {
        if (gate.admits(callback)) {
            long deadlineNanos = context.deadlineNanos();
            new ReadOperation(context, key, spec, deadlineNanos, false, gate, callback).start();
        }
    }

    /** Reads a key from its first {@code from} replicas, and repairs those that differ. */
    public void repair(byte[] key, int from, Runnable whenDone) {
        OutcomeCallback callback = outcome -> whenDone.run();
        if (gate.admits(callback)) {
            new ReadOperation(
                            context,
                            key,
                            new QuorumSpec(from, from),
                            context.deadlineNanos(),
                            true,
                            gate::endedQuietly,
                            callback)
                    .start();
        }
    }
}
