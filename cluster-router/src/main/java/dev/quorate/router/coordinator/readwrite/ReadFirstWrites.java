package dev.quorate.router.coordinator.readwrite;

import dev.quorate.router.coordinator.admission.OperationGate;
import dev.quorate.router.coordinator.operation.Ending;
import dev.quorate.router.coordinator.operation.Explanation;
import dev.quorate.router.coordinator.operation.Explanation.Round;
import dev.quorate.router.coordinator.operation.NewValue;
import dev.quorate.router.coordinator.operation.OperationContext;
import dev.quorate.router.coordinator.operation.Outcome;
import dev.quorate.router.coordinator.operation.OutcomeCallback;
import dev.quorate.router.coordinator.operation.Resolver;
import dev.quorate.router.message.ReplicaRequest;
import dev.quorate.router.quorum.QuorumSpec;
import dev.quorate.storage.Entry;
import dev.quorate.storage.Timestamp;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Writes that read their key first. Both halves are one operation, with one deadline. */
public record ReadFirstWrites(OperationContext context, OperationGate gate, Writes writes) {

    /** Writes with a version given by the client, unless another write has it. */
    public void writeGiven(
            byte[] key,
            @Nullable NewValue value,
            Timestamp version,
            QuorumSpec spec,
            OutcomeCallback callback) {
        if (version.hasStep()) {
            callback.completed(new Outcome.VersionTaken(version, Explanation.ANOTHER_REQUEST));
            return;
        }
        if (!context.clock().observeFromClient(version)) {
            callback.completed(context.ahead(version));
            return;
        }
        Entry entry = writes.entry(key, value, version, spec);
        readFirst(
                key, spec, deadlineNanos -> new UnlessTaken(entry, spec, deadlineNanos, callback));
    }

    /** Writes with a timestamp above the newest that a majority has. */
    public void writeAboveAll(
            byte[] key, @Nullable NewValue value, QuorumSpec spec, OutcomeCallback callback) {
        readFirst(
                key,
                spec,
                deadlineNanos -> new AboveAll(key, value, spec, deadlineNanos, callback));
    }

    /** Creates the second half, with the deadline of the whole operation. */
    @FunctionalInterface
    private interface SecondHalf {
        WriteAfterRead with(long deadlineNanos);
    }

    private void readFirst(byte[] key, QuorumSpec spec, SecondHalf secondHalf) {
        long deadlineNanos = context.deadlineNanos();
        WriteAfterRead write = secondHalf.with(deadlineNanos);
        if (gate.admits(write.callback())) {
            new ReadOperation(context, key, spec, deadlineNanos, false, Ending.NONE, write).start();
        }
    }

    /** A write of an atomic register: reads a majority, and writes above its newest timestamp. */
    private final class AboveAll extends WriteAfterRead {

        private final byte[] key;
        private final @Nullable NewValue value;
        private final QuorumSpec spec;
        private final long deadlineNanos;

        private AboveAll(
                byte[] key,
                @Nullable NewValue value,
                QuorumSpec spec,
                long deadlineNanos,
                OutcomeCallback callback) {
            super(gate, callback);
            this.key = key;
            this.value = value;
            this.spec = spec;
            this.deadlineNanos = deadlineNanos;
        }

        @Override
        public void write(@Nullable Entry live, @Nullable Timestamp newest, List<Round> read) {
            if (newest != null && !context.clock().observe(newest)) {
                gate.refuse("what the key holds is ahead of this node's clock", callback());
                return;
            }
            Timestamp timestamp = context.clock().next();
            if (timestamp == null) {
                gate.refuse(Writes.BOUND_NOT_RENEWED, callback());
                return;
            }
            Entry entry = writes.entry(key, value, timestamp, spec);
            writes.send(new ReplicaRequest.Write(entry), spec, 0, read, deadlineNanos, callback());
        }
    }

    /**
     * A write whose version a client gave: checks whether another write has that version. If the
     * quorums overlap, such an acknowledged write is found before any replica is asked to store
     * this one; each replica checks as well.
     */
    private final class UnlessTaken extends WriteAfterRead {

        private final Entry entry;
        private final QuorumSpec spec;
        private final long deadlineNanos;

        private UnlessTaken(
                Entry entry, QuorumSpec spec, long deadlineNanos, OutcomeCallback callback) {
            super(gate, callback);
            this.entry = entry;
            this.spec = spec;
            this.deadlineNanos = deadlineNanos;
        }

        @Override
        public void write(@Nullable Entry live, @Nullable Timestamp newest, List<Round> read) {
            long nowMillis = context.wallMillis();
            boolean isSame =
                    live == null
                            ? !Resolver.isLive(entry, nowMillis)
                            : live.hasSameContent(entry, nowMillis);
            if (entry.timestamp().equals(newest) && !isSame) {
                Outcome taken = new Outcome.VersionTaken(entry.timestamp(), Explanation.NONE);
                gate.ended(taken, callback(), null);
            } else {
                writeGiven(read);
            }
        }

        /** The replicas that are asked to store it check for themselves. */
        @Override
        void readFailed(Outcome.QuorumFailed failed, Explanation explanation) {
            writeGiven(explanation.rounds());
        }

        private void writeGiven(List<Round> read) {
            writes.send(
                    new ReplicaRequest.Write(entry, ReplicaRequest.Origin.GIVEN),
                    spec,
                    0,
                    read,
                    deadlineNanos,
                    callback());
        }
    }
}
