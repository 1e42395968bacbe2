package dev.quorate.node.background;

import dev.quorate.node.message.ReplicaAnswer.Failed;
import dev.quorate.node.message.ReplicaRequest;
import dev.quorate.node.replica.Replica;
import dev.quorate.storage.Entry;
import org.jspecify.annotations.Nullable;

/** How a job's entries get into this node's store. */
@FunctionalInterface
public interface EntryWriter {

    /** For jobs without a {@link Step.Write}. */
    EntryWriter NONE =
            (entry, deadlineNanos, completion) -> {
                throw new IllegalStateException("the job writes nothing");
            };

    /** Told once what has become of an entry. */
    @FunctionalInterface
    interface Completion {

        /**
         * It is durable, or has failed. On any thread; must not block.
         *
         * @param failure null if it is durable
         */
        void completed(@Nullable Failed failure);
    }

    /**
     * Writes an entry, as it is, unless a newer one is there. Returns at once.
     *
     * @param deadlineNanos when the answer is worth nothing any more, in {@code Ticker.nanos} time
     */
    void write(Entry entry, long deadlineNanos, Completion completion);

    /**
     * By the rules for what another replica has sent.
     *
     * @param local this node
     */
    static EntryWriter to(Replica local) {
        return (entry, deadlineNanos, completion) ->
                local.ask(
                        ReplicaRequest.Write.copyOf(entry),
                        deadlineNanos,
                        answer ->
                                completion.completed(
                                        answer instanceof Failed failed ? failed : null));
    }
}
