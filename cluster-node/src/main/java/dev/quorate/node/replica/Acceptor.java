package dev.quorate.node.replica;

import dev.quorate.node.conditional.Answer;
import dev.quorate.node.conditional.Current;
import dev.quorate.node.conditional.KeyEntry;
import dev.quorate.node.conditional.KeyRecords;
import dev.quorate.node.conditional.Question;
import dev.quorate.node.message.ReplicaAnswer;
import dev.quorate.node.message.ReplicaAnswer.Failed;
import dev.quorate.node.message.ReplicaAnswer.Failure;
import dev.quorate.node.message.ReplicaRequest;
import dev.quorate.storage.Entry;
import dev.quorate.storage.KeyValueStore;
import dev.quorate.storage.Lookup;
import dev.quorate.storage.StorageException;
import dev.quorate.storage.Timestamp;
import dev.quorate.storage.WriteCompletion;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The acceptor of this node's keys: reads the records and the entry of a key, lets {@link
 * KeyRecords} answer, and passes the answer on once all that changed is durable. One question of a
 * key at a time: the next one finds what this one has changed.
 */
final class Acceptor {

    private static final Failed TOO_MANY =
            new Failed(Failure.OVERLOADED, "too many conditional writes of one key");

    private static final Failed TOO_MANY_READS =
            new Failed(Failure.OVERLOADED, "too many reads wait for the disk");

    private final KeyValueStore data;
    private final KeyValueStore records;
    private final RecordStore layout;
    private final Horizon horizon;
    private final Executor blockingReads;
    private final KeyQueues queues = new KeyQueues();

    /**
     * @param data the keyspace of clients
     * @param records the keyspace of records in the same store
     * @param horizon up to when tombstones may be gone
     * @param blockingReads runs reads that wait for the disk; may reject
     */
    Acceptor(
            KeyValueStore data,
            KeyValueStore records,
            RecordStore layout,
            Horizon horizon,
            Executor blockingReads) {
        this.data = data;
        this.records = records;
        this.layout = layout;
        this.horizon = horizon;
        this.blockingReads = blockingReads;
    }

    /** Answers a question, or drops it if its deadline has passed before its turn. */
    void ask(ReplicaRequest.ToAcceptor asked, PendingAnswer pending) {
        boolean added = queues.add(asked.key(), end -> start(new Turn(asked, pending, end)));
        if (!added) {
            pending.complete(TOO_MANY);
        }
    }

    private void start(Turn turn) {
        if (turn.pending.isComplete()) {
            turn.end.run();
            return;
        }
        try {
            if (turn.answer(data::lookupResident, records::lookupResident)) {
                return;
            }
        } catch (StorageException e) {
            turn.fail(StoreFailures.of(e));
            return;
        }
        try {
            blockingReads.execute(() -> readBlocking(turn));
        } catch (RejectedExecutionException full) {
            turn.fail(TOO_MANY_READS);
        }
    }

    private void readBlocking(Turn turn) {
        if (turn.pending.isComplete()) {
            turn.end.run();
            return;
        }
        try {
            if (!turn.answer(data::lookup, records::lookup)) {
                throw new IllegalStateException("the store did not wait for the disk");
            }
        } catch (StorageException e) {
            turn.fail(StoreFailures.of(e));
        }
    }

    /** One question, whose turn it is. */
    private final class Turn {

        private final byte[] key;
        private final int from;
        private final Question question;
        private final PendingAnswer pending;
        private final Runnable end;

        Turn(ReplicaRequest.ToAcceptor asked, PendingAnswer pending, Runnable end) {
            this.key = asked.key();
            this.from = asked.from();
            this.question = asked.question();
            this.pending = pending;
            this.end = end;
        }

        void fail(Failed why) {
            pending.complete(why);
            end.run();
        }

        /** Answers; false, without any effect, if something is not in memory. */
        boolean answer(Function<byte[], Lookup> entries, Function<byte[], Lookup> others) {
            Lookup found = entries.apply(key);
            if (found instanceof Lookup.NotResident) {
                return false;
            }
            Current entry = KeyEntry.current(found instanceof Lookup.Found(Entry e) ? e : null);
            KeyRecords before = layout.read(key, question, entry, others);
            if (before == null) {
                return false;
            }
            KeyRecords.Reply reply = before.answer(question, entry, horizon.gcWatermarkMillis());
            List<Entry> changes = layout.changes(key, from, question, before, reply.records());
            if (changes.isEmpty()) {
                done(reply.answer());
            } else {
                store(changes, reply.answer());
            }
            return true;
        }

        private void done(Answer answer) {
            pending.complete(new ReplicaAnswer.FromAcceptor(key, answer));
            end.run();
        }

        private void store(List<Entry> changes, Answer answer) {
            AtomicInteger missing = new AtomicInteger(changes.size());
            AtomicReference<@Nullable Failed> failure = new AtomicReference<>();
            WriteCompletion completion =
                    new WriteCompletion() {
                        @Override
                        public void stored(Timestamp newest) {
                            countDown();
                        }

                        @Override
                        public void failed(StorageException cause) {
                            String detail = StoreFailures.of(cause).detail();
                            failure.set(new Failed(Failure.FAILED, detail));
                            countDown();
                        }

                        private void countDown() {
                            if (missing.decrementAndGet() > 0) {
                                return;
                            }
                            Failed failed = failure.get();
                            if (failed == null) {
                                done(answer);
                            } else {
                                fail(failed);
                            }
                        }
                    };
            for (Entry change : changes) {
                records.write(change, completion);
            }
        }
    }
}
