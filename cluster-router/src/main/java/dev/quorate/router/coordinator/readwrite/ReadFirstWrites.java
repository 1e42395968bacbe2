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
import dev.quorate.router.message.TraceParent;
import dev.quorate.router.quorum.QuorumSpec;
import dev.quorate.storage.Entry;
import dev.quorate.storage.Timestamp;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Writes that read their key first. Both halves are one operation, with one deadline. */
public record ReadFirstWrites(OperationContext context, OperationGate gate, Writes writes) {

    /**
     * Writes with a version given by the client, unless another write has it. If the quorums
     * overlap, an acknowledged write with this version is found before any replica is asked to
     * store this one; each replica checks as well.
     */
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
        long deadlineNanos = context.deadlineNanos();
        readFirst(
                key,
                spec,
                deadlineNanos,
                new SecondHalf(callback) {
                    @Override
                    void write(@Nullable Entry live, @Nullable Timestamp newest, List<Round> read) {
                        long nowMillis = context.wallMillis();
                        boolean isSame =
                                live == null
                                        ? !Resolver.isLive(entry, nowMillis)
                                        : live.hasSameContent(entry, nowMillis);
                        if (entry.timestamp().equals(newest) && !isSame) {
                            Outcome taken =
                                    new Outcome.VersionTaken(entry.timestamp(), Explanation.NONE);
                            gate.ended(taken, callback, null);
                        } else {
                            writeGiven(read);
                        }
                    }

                    // The replicas that are asked to store it check for themselves.
                    @Override
                    void readFailed(Outcome.QuorumFailed failed, Explanation explanation) {
                        writeGiven(explanation.rounds());
                    }

                    private void writeGiven(List<Round> read) {
                        var given = new ReplicaRequest.Write(entry, ReplicaRequest.Origin.GIVEN);
                        writes.send(given, spec, 0, read, deadlineNanos, callback);
                    }
                });
    }

    /**
     * Writes the value of an atomic register: with a timestamp above the newest that a majority
     * has.
     */
    public void writeAboveAll(
            byte[] key, @Nullable NewValue value, QuorumSpec spec, OutcomeCallback callback) {
        long deadlineNanos = context.deadlineNanos();
        readFirst(
                key,
                spec,
                deadlineNanos,
                new SecondHalf(callback) {
                    @Override
                    void write(@Nullable Entry live, @Nullable Timestamp newest, List<Round> read) {
                        if (newest != null && !context.clock().observe(newest)) {
                            gate.refuse(
                                    "what the key holds is ahead of this node's clock", callback);
                            return;
                        }
                        Timestamp timestamp = context.clock().next();
                        if (timestamp == null) {
                            gate.refuse(Writes.BOUND_NOT_RENEWED, callback);
                            return;
                        }
                        Entry entry = writes.entry(key, value, timestamp, spec);
                        var write = new ReplicaRequest.Write(entry);
                        writes.send(write, spec, 0, read, deadlineNanos, callback);
                    }
                });
    }

    private void readFirst(byte[] key, QuorumSpec spec, long deadlineNanos, SecondHalf write) {
        if (gate.admits(write.callback)) {
            new ReadOperation(context, key, spec, deadlineNanos, false, Ending.NONE, write).start();
        }
    }

    /** The write, which begins with the outcome of the read. */
    private abstract class SecondHalf implements OutcomeCallback {

        /** Receives the outcome of the whole operation. */
        private final OutcomeCallback callback;

        SecondHalf(OutcomeCallback callback) {
            this.callback = callback;
        }

        /**
         * Continues with the newest entry of the replicas.
         *
         * @param live the newest entry, if it is live
         * @param newest the timestamp of the newest entry, live or not; null if there is none
         * @param read the rounds of the read, if the callback wants an explanation
         */
        abstract void write(@Nullable Entry live, @Nullable Timestamp newest, List<Round> read);

        /** Too few replicas answered: ends the operation, unless overridden. */
        void readFailed(Outcome.QuorumFailed failed, Explanation explanation) {
            gate.ended(failed, callback, explanation);
        }

        @Override
        public @Nullable TraceParent trace() {
            return callback.trace();
        }

        @Override
        public boolean isExplained() {
            return callback.isExplained();
        }

        @Override
        public void completed(Outcome held) {
            completed(held, Explanation.NONE);
        }

        @Override
        public void completed(Outcome held, Explanation explanation) {
            switch (held) {
                case Outcome.Found(Entry entry) ->
                        write(entry, entry.timestamp(), explanation.rounds());
                case Outcome.Missing missing ->
                        write(null, missing.deletedAt(), explanation.rounds());
                case Outcome.QuorumFailed failed -> readFailed(failed, explanation);
                case Outcome.Refused refused -> gate.ended(refused, callback, explanation);
                case Outcome.TooFarAhead _,
                        Outcome.TooLong _,
                        Outcome.TooOld _,
                        Outcome.NotJudged _,
                        Outcome.VersionTaken _,
                        Outcome.Unmet _,
                        Outcome.Undecided _,
                        Outcome.Written _ ->
                        throw new IllegalStateException("a read has written: " + held);
            }
        }
    }
}
