package dev.quorate.router.coordinator.conditional;

import dev.quorate.router.conditional.ConditionalRequest;
import dev.quorate.router.conditional.Current;
import dev.quorate.router.conditional.KeyEntry;
import dev.quorate.router.coordinator.admission.OperationGate;
import dev.quorate.router.coordinator.operation.Ending;
import dev.quorate.router.coordinator.operation.Explanation;
import dev.quorate.router.coordinator.operation.NewValue;
import dev.quorate.router.coordinator.operation.OperationContext;
import dev.quorate.router.coordinator.operation.Outcome;
import dev.quorate.router.coordinator.operation.OutcomeCallback;
import dev.quorate.router.coordinator.operation.OwnedKey;
import dev.quorate.router.coordinator.readwrite.ReadOperation;
import dev.quorate.router.coordinator.readwrite.Writes;
import dev.quorate.router.message.TraceParent;
import dev.quorate.router.quorum.QuorumSpec;
import dev.quorate.router.replica.KeyQueues;
import dev.quorate.router.runtime.HeldRoom;
import dev.quorate.router.runtime.NodeRuntime;
import dev.quorate.storage.Entry;
import dev.quorate.storage.Timestamp;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Writes that depend on the key's entry (decision 0029). Writes of one key with the same {@code
 * from} are made one after the other; a write that succeeds leaves the lead of its key to the next.
 */
public final class ConditionalWrites {

    /** How long a renewal waits after another write of its key. */
    private static final Duration PAUSE = Duration.ofMillis(5);

    private final OperationContext context;
    private final OperationGate readGate;
    private final OperationGate gate;
    private final KeyQueues<OwnedKey> queues = new KeyQueues<>();
    private final ConditionalContext shared;

    /**
     * @param readGate admits the reads of renewals
     * @param gate admits writes
     */
    public ConditionalWrites(
            OperationContext context,
            NodeRuntime runtime,
            OperationGate readGate,
            OperationGate gate) {
        this.context = context;
        this.readGate = readGate;
        this.gate = gate;
        this.shared =
                new ConditionalContext(
                        context,
                        runtime,
                        new Leads(),
                        new Turns(context.view().local().member().number()),
                        new WaitingWrites(this::read, runtime.ticker(), runtime.scheduler()),
                        this::read);
    }

    /**
     * Writes if a condition holds.
     *
     * @param value null deletes
     * @param version null for a new write; the version of an earlier attempt for a retry
     */
    public void write(
            byte[] key,
            @Nullable NewValue value,
            ConditionalRequest.Condition condition,
            @Nullable Timestamp version,
            QuorumSpec spec,
            OutcomeCallback callback) {
        write(key, value, condition, version, spec, context.deadlineNanos(), callback);
    }

    private void write(
            byte[] key,
            @Nullable NewValue value,
            ConditionalRequest.Condition condition,
            @Nullable Timestamp version,
            QuorumSpec spec,
            long deadlineNanos,
            OutcomeCallback callback) {
        Timestamp given = version == null ? null : version.root();
        if (given != null && !context.clock().observeFromClient(given)) {
            callback.completed(context.ahead(given));
            return;
        }
        if (!gate.admits(callback)) {
            return;
        }
        Timestamp origin = given == null ? context.clock().next() : given;
        if (origin == null) {
            gate.refuse(Writes.BOUND_NOT_RENEWED, callback);
            return;
        }
        ConditionalRequest request =
                new ConditionalRequest(
                        origin,
                        given != null,
                        condition,
                        value == null ? null : value.bytes(),
                        value == null ? Entry.NEVER : value.expiresAtMillis(origin),
                        context.view().placement().storedFrom(spec),
                        value == null ? null : value.contentType());
        if (version == null || version.equals(request.version())) {
            begin(key, spec, request, deadlineNanos, gate, callback);
        } else if (version.hasStep()) {
            gate.ended(
                    new Outcome.VersionTaken(version, Explanation.ANOTHER_REQUEST), callback, null);
        } else {
            begin(key, spec, request.withDigest(), deadlineNanos, gate, callback);
        }
    }

    /**
     * Decides a write that only a minority of the owners of a key has accepted.
     *
     * @param from the number of owners, as stored
     */
    public void decide(byte[] key, int from) {
        OutcomeCallback nobody = outcome -> {};
        if (gate.admits(nobody)) {
            QuorumSpec spec = QuorumSpec.majority(context.view().placement().effectiveFrom(from));
            begin(
                    key,
                    from == 0 ? spec.asDefault() : spec,
                    ConditionalRequest.read(),
                    context.deadlineNanos(),
                    gate::endedQuietly,
                    nobody);
        }
    }

    private void begin(
            byte[] key,
            QuorumSpec spec,
            ConditionalRequest request,
            long deadlineNanos,
            Ending ending,
            OutcomeCallback callback) {
        ConditionalOperation operation =
                new ConditionalOperation(
                        shared, key, spec, request, deadlineNanos, ending, callback);
        context.deadlines().watch(operation);
        OwnedKey owned = new OwnedKey(key, context.view().placement().storedFrom(spec));
        shared.waiting().add(owned, operation);
        if (!queues.add(owned, operation::start)) {
            operation.refuse("too many conditional writes of this key wait");
        }
    }

    /** Reads the entry of a key, as of the moment when the read begins. */
    private void read(byte[] key, QuorumSpec spec, Consumer<@Nullable Current> found) {
        long begunMillis = context.wallMillis();
        new ReadOperation(
                        context,
                        key,
                        spec,
                        context.deadlineNanos(),
                        false,
                        Ending.NONE,
                        held ->
                                found.accept(
                                        switch (held) {
                                            case Outcome.Found(var entry) ->
                                                    KeyEntry.current(entry).asOf(begunMillis);
                                            case Outcome.Missing(var deletedAt) ->
                                                    absent(deletedAt);
                                            case Outcome other -> null;
                                        }))
                .start();
    }

    /**
     * @param version the version of the tombstone or expired value; null if there is none
     */
    private static Current absent(@Nullable Timestamp version) {
        return version == null ? Current.NOTHING : new Current(version, null, Entry.NEVER, 0, null);
    }

    /** See {@code Operations.renew}. */
    public void renew(
            byte[] key,
            @Nullable Duration timeToLive,
            @Nullable Timestamp version,
            QuorumSpec spec,
            OutcomeCallback callback) {
        new Renewal(key, timeToLive, version, spec, callback).read();
    }

    /**
     * Reads a value, and writes it on the condition that it has not changed. If it has, begins
     * again, unless the client named a version. Each part is admitted as if the client had sent it.
     */
    private final class Renewal implements OutcomeCallback {

        private final byte[] key;
        private final @Nullable Duration timeToLive;
        private final @Nullable Timestamp named;
        private final QuorumSpec spec;
        private final OutcomeCallback callback;
        private final long deadlineNanos = context.deadlineNanos();

        /** The memory of the value. */
        private final AtomicReference<HeldRoom> room = new AtomicReference<>(HeldRoom.NONE);

        Renewal(
                byte[] key,
                @Nullable Duration timeToLive,
                @Nullable Timestamp named,
                QuorumSpec spec,
                OutcomeCallback callback) {
            this.key = key;
            this.timeToLive = timeToLive;
            this.named = named;
            this.spec = spec;
            this.callback = callback;
        }

        void read() {
            if (readGate.admits(this)) {
                new ReadOperation(context, key, spec, deadlineNanos, false, readGate, this).start();
            }
        }

        @Override
        public void acceptRoom(HeldRoom valueRoom) {
            room.getAndSet(valueRoom).release();
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
        public void completed(Outcome outcome) {
            completed(outcome, Explanation.NONE);
        }

        /** Continues after the read, or after the write. */
        @Override
        public void completed(Outcome outcome, Explanation explanation) {
            if (outcome instanceof Outcome.Unmet && named == null) {
                shared.runtime().scheduler().after(PAUSE, this::read);
            } else if (outcome instanceof Outcome.Found(Entry entry)) {
                write(entry, explanation);
            } else if (outcome instanceof Outcome.QuorumFailed failed) {
                var why = new Outcome.NotJudged(failed.failures(), failed.explanation());
                end(why, explanation);
            } else {
                end(outcome, explanation);
            }
        }

        private void write(Entry entry, Explanation read) {
            Timestamp version = entry.timestamp();
            if (named != null && !named.equals(version)) {
                end(new Outcome.Unmet(version), read);
            } else if (entry.valueBytes() > ConditionalRequest.MAX_VALUE_BYTES) {
                end(new Outcome.TooLong(entry.valueBytes()), read);
            } else {
                var value = new NewValue(entry.value(), timeToLive, entry.contentType());
                var unchanged = new ConditionalRequest.Condition.Is(version);
                ConditionalWrites.this.write(
                        key, value, unchanged, null, spec, deadlineNanos, this);
            }
        }

        private void end(Outcome outcome, Explanation explanation) {
            acceptRoom(HeldRoom.NONE);
            Ending.NONE.ended(outcome, callback, explanation);
        }
    }
}
