package dev.quorate.router.coordinator.readwrite;

import dev.quorate.router.coordinator.admission.OperationGate;
import dev.quorate.router.coordinator.operation.Explanation.Round;
import dev.quorate.router.coordinator.operation.NewValue;
import dev.quorate.router.coordinator.operation.OperationContext;
import dev.quorate.router.coordinator.operation.OutcomeCallback;
import dev.quorate.router.coordinator.operation.View;
import dev.quorate.router.message.Lane;
import dev.quorate.router.message.ReplicaRequest;
import dev.quorate.router.quorum.QuorumSpec;
import dev.quorate.router.replica.Replica;
import dev.quorate.storage.Entry;
import dev.quorate.storage.Timestamp;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Stamps entries and sends them to their replicas. A null value deletes. */
public record Writes(OperationContext context, OperationGate gate) {

    private static final int RESTAMPS = 1;
    public static final String BOUND_NOT_RENEWED =
            "the clock's bound on disk is not renewed in time";

    /** Writes with the next timestamp of this node's clock. */
    public void write(
            byte[] key, @Nullable NewValue value, QuorumSpec spec, OutcomeCallback callback) {
        if (!gate.admits(callback)) {
            return;
        }
        Timestamp timestamp = context.clock().next();
        if (timestamp == null) {
            gate.refuse(BOUND_NOT_RENEWED, callback);
            return;
        }
        Entry entry = entry(key, value, timestamp, spec);
        send(
                new ReplicaRequest.Write(entry),
                spec,
                RESTAMPS,
                List.of(),
                context.deadlineNanos(),
                callback);
    }

    void send(
            ReplicaRequest.Write write,
            QuorumSpec spec,
            int restamps,
            List<Round> earlier,
            long deadlineNanos,
            OutcomeCallback callback) {
        long nowNanos = context.nanos();
        View view = context.view();
        byte[] key = write.entry().key();
        Replica[] replicas = view.inAskOrder(key, spec, Lane.WRITE, nowNanos);
        WriteRound first =
                new WriteRound(
                        view.electorate(key, spec, replicas),
                        replicas,
                        write,
                        restamps,
                        earlier,
                        nowNanos);
        new WriteOperation(context, view, replicas, first, deadlineNanos, gate, callback).start();
    }

    Entry entry(byte[] key, @Nullable NewValue value, Timestamp timestamp, QuorumSpec spec) {
        int from = context.view().placement().storedFrom(spec);
        return value == null
                ? Entry.tombstone(key, timestamp, from)
                : value.entry(key, timestamp, from);
    }
}
