package dev.quorate.router.coordinator;

import dev.quorate.router.quorum.QuorumSpec;

/** Reads single keys, for clients and for repairs. */
final class Reads {

    private final OperationContext context;
    private final OperationGate gate;

    Reads(OperationContext context, OperationGate gate) {
        this.context = context;
        this.gate = gate;
    }

    void read(byte[] key, QuorumSpec spec, OutcomeCallback callback) {
        if (gate.admits(callback)) {
            long deadlineNanos = context.deadlineNanos();
            new ReadOperation(context, key, spec, deadlineNanos, false, gate, callback).start();
        }
    }

    /** Reads a key from its first {@code from} replicas, and repairs those that differ. */
    void repair(byte[] key, int from, Runnable whenDone) {
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
