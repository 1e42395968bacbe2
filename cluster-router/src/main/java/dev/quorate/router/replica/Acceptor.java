package dev.quorate.router.replica;

import dev.quorate.router.clock.HybridClock;
import dev.quorate.router.conditional.Accepted;
import dev.quorate.router.conditional.Current;
import dev.quorate.router.conditional.KeyEntry;
import dev.quorate.router.conditional.KeyRecords;
import dev.quorate.router.conditional.Question;
import dev.quorate.router.message.ReplicaAnswer;
import dev.quorate.router.message.ReplicaAnswer.Failed;
import dev.quorate.router.message.ReplicaAnswer.Failure;
import dev.quorate.router.message.ReplicaRequest;
import dev.quorate.router.topology.Topology;
import dev.quorate.storage.Entry;
import dev.quorate.storage.KeyValueStore;
import dev.quorate.storage.Lookup;
import dev.quorate.storage.StorageException;
import dev.quorate.storage.Timestamp;
import dev.quorate.storage.WriteCompletion;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The acceptor of this node's keys: reads the records and the entry of a key, lets {@link
 * KeyRecords} answer, and returns the answer once its changes are durable. Questions about one key
 * run one at a time, so that each sees the changes of the previous one.
 */
final class Acceptor {

    private static final Logger LOG = LoggerFactory.getLogger(Acceptor.class);

    private static final Failed TOO_MANY =
            new Failed(Failure.OVERLOADED, "too many conditional writes of one key");

    private static final Failed TOO_OLD =
            new Failed(Failure.TOO_OLD, "what became of the write may be forgotten");

    private static final Failed STALE =
            new Failed(Failure.STALE, "this node is in another epoch now");

    private static final Failed HEALED =
            new Failed(
                    Failure.FAILED,
                    "entries were healed since it accepted an undecided value of this key");

    private static final Failed NOT_READ =
            new Failed(Failure.FAILED, "the store did not wait for the disk");

    private final KeyValueStore data;
    private final KeyValueStore records;
    private final RecordedWrite both;
    private final RecordStore layout;
    private final Horizon horizon;
    private final long longestWriteMillis;
    private final HybridClock clock;
    private final Executor blockingReads;
    private final EpochCounts epochs;
    private final KeyQueues<ByteBuffer> queues = new KeyQueues<>();

    /** When entries or records were healed last; {@link Timestamp#ZERO} for never. */
    private volatile Timestamp healed;

    /**
     * Two keyspaces of one store.
     *
     * @param data the keyspace of clients
     * @param records the keyspace of conditional writes' records
     * @param both writes to both keyspaces
     */
    record Keyspaces(KeyValueStore data, KeyValueStore records, RecordedWrite both) {}

    /**
     * @param horizon the time before which tombstones may be gone
     * @param longestWrite the maximum duration of a client's write
     * @param blockingReads runs reads that wait for the disk; may reject
     * @param epochs counts the questions in progress
     */
    Acceptor(
            Keyspaces keyspaces,
            RecordStore layout,
            Horizon horizon,
            Duration longestWrite,
            HybridClock clock,
            Executor blockingReads,
            EpochCounts epochs) {
        this.data = keyspaces.data();
        this.records = keyspaces.records();
        this.both = keyspaces.both();
        this.layout = layout;
        this.horizon = horizon;
        this.longestWriteMillis = longestWrite.toMillis();
        this.clock = clock;
        this.blockingReads = blockingReads;
        this.epochs = epochs;
        this.healed = readHealed();
        records.shorten(RecordStore::shortener);
    }

    private Timestamp readHealed() {
        try {
            return layout.readHealed(records::lookup);
        } catch (StorageException e) {
            // The note itself is damaged, so entries or records may be as well.
            return Timestamp.of(clock.readingMillis(), 0, 0);
        }
    }

    /** See {@link LocalReplica#noteHealing}. */
    void noteHealing(Consumer<Boolean> whenNoted) {
        Timestamp now = clock.next();
        if (now == null) {
            whenNoted.accept(false);
            return;
        }
        records.write(
                layout.healedRecord(now),
                new WriteCompletion() {
                    @Override
                    public void stored(Timestamp newest) {
                        healedAt(now);
                        whenNoted.accept(true);
                    }

                    @Override
                    public void failed(StorageException cause) {
                        whenNoted.accept(false);
                    }
                });
    }

    /** Keeps the latest of concurrent notes. */
    private synchronized void healedAt(Timestamp moment) {
        if (moment.isAfter(healed)) {
            healed = moment;
        }
    }

    /**
     * Answers a question, or drops it if its deadline has passed before its turn.
     *
     * <p>Refuses a question of another epoch, a ballot so old that its records may be gone, and a
     * value so old that other replicas may lack it for good once it is stored.
     *
     * @param planned the topology in which it was asked; null if it does not matter
     */
    void ask(ReplicaRequest.ToAcceptor asked, @Nullable Topology planned, PendingAnswer pending) {
        if (isTooOld(asked.question())) {
            pending.complete(TOO_OLD);
            return;
        }
        if (!epochs.begin(planned)) {
            pending.complete(STALE);
            return;
        }
        boolean added =
                queues.add(
                        ByteBuffer.wrap(asked.key()),
                        end -> start(new Turn(asked, pending, () -> end(planned, end))));
        if (!added) {
            epochs.end(planned);
            pending.complete(TOO_MANY);
        }
    }

    private void end(@Nullable Topology planned, Runnable next) {
        epochs.end(planned);
        next.run();
    }

    /** Whether a question of an earlier epoch is in progress. */
    boolean isBehind() {
        return epochs.isBehind();
    }

    private boolean isTooOld(Question question) {
        long oldestMillis = oldestMillis();
        Timestamp result =
                question instanceof Question.Accept accept ? accept.proposal().result() : null;
        boolean isResultTooOld =
                result != null && result.wallMillis() < oldestMillis + longestWriteMillis;
        return isResultTooOld || question.ballot().wallMillis() < oldestMillis;
    }

    /**
     * Whether records of an earlier attempt may be gone. In a repeated question under the promised
     * ballot, the origin may be that of another write, which is not a retry.
     */
    private boolean isTooOldToRetry(Question question, KeyRecords records) {
        return question instanceof Question.Prepare(var ballot, var versions, var origin)
                && !origin.equals(Timestamp.ZERO)
                && origin.wallMillis() < oldestMillis()
                && !ballot.equals(records.promised());
    }

    private long oldestMillis() {
        return horizon.oldestWriteMillis(clock.readingMillis());
    }

    /** The record of a conditional write with an entry's version. May wait for the disk. */
    Lookup fate(Entry entry) {
        return records.lookup(RecordStore.fateKey(entry.key(), entry.timestamp()));
    }

    /** Like {@link #fate}, but only from memory. */
    Lookup residentFate(Entry entry) {
        return records.lookupResident(RecordStore.fateKey(entry.key(), entry.timestamp()));
    }

    /** Notes durably whether the entry of a key has superseded the proposal accepted last. */
    void note(byte[] key, int from, Consumer<RecordNote> whenNoted) {
        boolean added =
                queues.add(ByteBuffer.wrap(key), end -> start(new Note(key, from, whenNoted, end)));
        if (!added) {
            whenNoted.accept(RecordNote.FAILED);
        }
    }

    private void start(Task task) {
        if (task.isOver()) {
            task.end();
            return;
        }
        run(task, data::lookupResident, records::lookupResident, () -> readBlocking(task));
    }

    private void readBlocking(Task task) {
        try {
            blockingReads.execute(
                    () -> {
                        if (task.isOver()) {
                            task.end();
                            return;
                        }
                        run(task, data::lookup, records::lookup, () -> task.fail(NOT_READ));
                    });
        } catch (RejectedExecutionException full) {
            task.fail(LocalReads.TOO_MANY);
        }
    }

    /** Ends the task even if it fails, because other tasks of its key wait. */
    private void run(
            Task task,
            Function<byte[], Lookup> entries,
            Function<byte[], Lookup> others,
            Runnable notResident) {
        boolean isRead;
        try {
            isRead = task.run(entries, others);
        } catch (StorageException e) {
            task.fail(StoreFailures.of(e));
            return;
        } catch (RuntimeException bug) {
            LOG.error("A conditional write failed by a bug", bug);
            task.fail(new Failed(Failure.FAILED, "a bug: " + bug));
            return;
        }
        if (!isRead) {
            notResident.run();
        }
    }

    /** A question or a note, which reads and changes the records of its key. */
    private abstract class Task {

        final byte[] key;
        private final int from;

        /** Null for a note. */
        private final @Nullable Question question;

        private final Runnable end;

        Task(byte[] key, int from, @Nullable Question question, Runnable end) {
            this.key = key;
            this.from = from;
            this.question = question;
            this.end = end;
        }

        /** Whether no caller waits for it any more. */
        abstract boolean isOver();

        abstract void run(KeyRecords before, Current entry, long watermarkMillis);

        /** Runs the task; false, without any effect, if it needs data that is not in memory. */
        final boolean run(Function<byte[], Lookup> entries, Function<byte[], Lookup> others) {
            Current entry = entry(entries);
            KeyRecords found =
                    entry == null ? null : layout.read(key, from, question, entry, others);
            if (entry == null || found == null) {
                return false;
            }
            long watermarkMillis = horizon.gcWatermarkMillis();
            run(found.since(watermarkMillis), entry, watermarkMillis);
            return true;
        }

        abstract void failed(Failed why);

        final void end() {
            end.run();
        }

        final void fail(Failed why) {
            failed(why);
            end.run();
        }

        /** The replica's entry; null if it is not in memory. */
        private @Nullable Current entry(Function<byte[], Lookup> entries) {
            return switch (entries.apply(key)) {
                case Lookup.NotResident notResident -> null;
                case Lookup.Found(Entry found) -> KeyEntry.current(found);
                case Lookup.Absent absent -> Current.NOTHING;
            };
        }

        /**
         * Makes changed records durable, and the chosen entry, if any; then runs {@code passOn}.
         */
        final void store(
                KeyRecords before, KeyRecords after, @Nullable Current chosen, Runnable passOn) {
            List<Entry> changes = layout.changes(key, from, before, after);
            WriteCompletion completion =
                    new WriteCompletion() {
                        @Override
                        public void stored(Timestamp newest) {
                            passOn.run();
                            end.run();
                        }

                        @Override
                        public void failed(StorageException cause) {
                            fail(new Failed(Failure.FAILED, StoreFailures.of(cause).detail()));
                        }
                    };
            if (chosen != null) {
                both.write(changes, KeyEntry.entry(key, chosen), completion);
            } else if (!changes.isEmpty()) {
                records.write(changes, completion);
            } else {
                passOn.run();
                end.run();
            }
        }
    }

    /** The question in progress for its key. */
    private final class Turn extends Task {

        private final Question question;
        private final PendingAnswer pending;

        Turn(ReplicaRequest.ToAcceptor asked, PendingAnswer pending, Runnable end) {
            super(asked.key(), asked.from(), asked.question(), end);
            this.question = asked.question();
            this.pending = pending;
        }

        @Override
        boolean isOver() {
            return pending.isComplete();
        }

        @Override
        void failed(Failed why) {
            pending.complete(why);
        }

        @Override
        void run(KeyRecords before, Current entry, long watermarkMillis) {
            if (isTooOldToRetry(question, before)) {
                fail(TOO_OLD);
                return;
            }
            if (isUnclear(before.pending(entry))) {
                fail(HEALED);
                return;
            }
            KeyRecords.Reply reply = before.answer(question, entry, watermarkMillis);
            store(
                    before,
                    reply.records(),
                    reply.chosen(),
                    () -> pending.complete(new ReplicaAnswer.FromAcceptor(key, reply.answer())));
        }
    }

    /**
     * Whether the entry that superseded a value may have been damaged here, and lost in the
     * healing: all other replicas may have dropped it.
     */
    private boolean isUnclear(@Nullable Accepted pending) {
        if (pending == null || !pending.proposal().isBaseDroppable()) {
            return false;
        }
        // In the lead, the ballot is older than the value.
        Timestamp result = pending.proposal().result();
        long acceptedAfter =
                Math.max(pending.ballot().madeAt(), result == null ? 0 : result.madeAt());
        return healed.madeAt() > acceptedAfter;
    }

    /** The note in progress for its key. */
    private final class Note extends Task {

        private final Consumer<RecordNote> whenNoted;

        Note(byte[] key, int from, Consumer<RecordNote> whenNoted, Runnable end) {
            super(key, from, null, end);
            this.whenNoted = whenNoted;
        }

        @Override
        boolean isOver() {
            return false;
        }

        @Override
        void failed(Failed why) {
            whenNoted.accept(RecordNote.FAILED);
        }

        @Override
        void run(KeyRecords before, Current entry, long watermarkMillis) {
            Accepted pending = before.pending(entry);
            RecordNote note = pending == null ? RecordNote.DECIDED : RecordNote.UNDECIDED;
            store(before, before.noted(entry), null, () -> whenNoted.accept(note));
        }
    }
}
