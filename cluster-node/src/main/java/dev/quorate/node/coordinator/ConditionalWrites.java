package dev.quorate.node.coordinator;

import dev.quorate.node.conditional.Request;
import dev.quorate.node.replica.KeyQueues;
import dev.quorate.node.runtime.NodeRuntime;
import dev.quorate.router.quorum.QuorumSpec;
import dev.quorate.storage.Entry;
import dev.quorate.storage.Timestamp;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Writes that depend on what the key has (decision 0029). Those of one key are made one after the
 * other; a write that succeeds leaves the lead of its key to the next one.
 */
final class ConditionalWrites {

    private final OperationContext context;
    private final NodeRuntime runtime;
    private final OperationGate gate;
    private final KeyQueues queues = new KeyQueues();
    private final Leads leads = new Leads();

    ConditionalWrites(OperationContext context, NodeRuntime runtime, OperationGate gate) {
        this.context = context;
        this.runtime = runtime;
        this.gate = gate;
    }

    /**
     * Writes if a condition holds.
     *
     * @param value null deletes
     * @param version null for a new write; or that of an earlier attempt, to send it again
     */
    void write(
            byte[] key,
            byte @Nullable [] value,
            @Nullable Duration timeToLive,
            Request.Condition condition,
            @Nullable Timestamp version,
            QuorumSpec spec,
            OutcomeCallback callback) {
        if (version != null && !context.clock().observeFromClient(version)) {
            callback.completed(ahead(version));
            return;
        }
        if (!gate.admits(callback)) {
            return;
        }
        Timestamp origin = version == null ? context.clock().next() : version;
        if (origin == null) {
            gate.refuse(Writes.BOUND_NOT_RENEWED, callback);
            return;
        }
        long expiresAtMillis =
                timeToLive == null ? Entry.NEVER : origin.wallMillis() + timeToLive.toMillis();
        Request request =
                new Request(
                        origin, version != null, condition, value, expiresAtMillis, spec.from());
        begin(key, spec, request, gate, callback);
    }

    /** Decides what a minority of the first {@code from} owners of a key has accepted. */
    void decide(byte[] key, int from) {
        OutcomeCallback nobody = outcome -> {};
        if (gate.admits(nobody)) {
            begin(key, QuorumSpec.majority(from), Request.read(), gate::endedQuietly, nobody);
        }
    }

    private void begin(
            byte[] key, QuorumSpec spec, Request request, Ending ending, OutcomeCallback callback) {
        ConditionalOperation operation =
                new ConditionalOperation(
                        context, runtime, key, spec, request, leads, ending, callback);
        context.deadlines().watch(operation);
        if (!queues.add(key, operation::start)) {
            operation.refuse("too many conditional writes of this key wait");
        }
    }

    private Outcome ahead(Timestamp version) {
        context.counters().refused.increment();
        long aheadMillis = context.clock().aheadMillis(version.hybrid());
        return aheadMillis > context.clock().maxAheadMillis()
                ? new Outcome.TooFarAhead(version, aheadMillis)
                : Outcome.Refused.forNow("the version is ahead of this node's clock");
    }
}
