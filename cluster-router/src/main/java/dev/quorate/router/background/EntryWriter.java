package dev.quorate.router.background;

import dev.quorate.router.message.ReplicaAnswer.Failed;
import dev.quorate.router.message.ReplicaAnswer.Failure;
import dev.quorate.router.message.ReplicaRequest;
import dev.quorate.router.replica.Replica;
import dev.quorate.storage.Entry;
import dev.quorate.storage.KeyValueStore;
import dev.quorate.storage.StorageException;
import dev.quorate.storage.Timestamp;
import dev.quorate.storage.WriteCompletion;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Writes a job's entries to this node's store. */
@FunctionalInterface
public interface EntryWriter {

    /** For jobs without a {@link Step.Write}. */
    EntryWriter NONE =
            (entry, deadlineNanos, completion) -> {
                throw new IllegalStateException("the job writes nothing");
            };

    /**
     * Writes an entry unchanged, unless a newer one exists. Returns at once.
     *
     * @param deadlineNanos in {@code Ticker.nanos} time
     * @param completion called once, on any thread, when the entry is durable (with null) or has
     *     failed; must not block
     */
    void write(Entry entry, long deadlineNanos, Consumer<@Nullable Failed> completion);

    /**
     * A writer of copies of another replica's entries.
     *
     * @param local this node
     */
    static EntryWriter to(Replica local) {
        return (entry, deadlineNanos, completion) ->
                local.ask(
                        ReplicaRequest.Write.copyOf(entry),
                        deadlineNanos,
                        answer ->
                                completion.accept(answer instanceof Failed failed ? failed : null));
    }

    /** A writer to a store, or to a keyspace of one. */
    static EntryWriter into(KeyValueStore store) {
        return (entry, deadlineNanos, completion) ->
                store.write(
                        entry,
                        new WriteCompletion() {
                            @Override
                            public void stored(Timestamp newest) {
                                completion.accept(null);
                            }

                            @Override
                            public boolean needsNewest() {
                                return false;
                            }

                            @Override
                            public void failed(StorageException cause) {
                                String detail = String.valueOf(cause.getMessage());
                                completion.accept(new Failed(Failure.FAILED, detail));
                            }
                        });
    }
}
