package dev.quorate.router.replica;

import dev.quorate.router.message.AnswerCallback;
import dev.quorate.router.message.ReplicaAnswer.Failed;
import dev.quorate.router.message.ReplicaAnswer.Failure;
import dev.quorate.storage.Entry;
import dev.quorate.storage.Lookup;
import dev.quorate.storage.StorageException;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/** Writes under versions that clients gave, each of which belongs to one value. */
record GivenWrites(LocalReads reads, GivenVersions givenVersions, @Nullable Acceptor acceptor) {

    private static final Failed VERSION_TAKEN =
            new Failed(
                    Failure.VERSION_TAKEN,
                    "the key holds something else under the version that was given");

    /**
     * Stores an entry unless another value has its version.
     *
     * @return the write, for the caller to watch its deadline; null if it was refused
     */
    @Nullable QueuedWrite store(Entry entry, long deadlineNanos, AnswerCallback callback) {
        if (!givenVersions.enter(entry, reads.ticker().wallMillis())) {
            callback.answered(VERSION_TAKEN);
            return null;
        }
        QueuedWrite pending =
                new QueuedWrite(deadlineNanos, callback, () -> givenVersions.leave(entry));
        try {
            Lookup resident = reads.store().lookupResident(entry.key());
            Lookup record = acceptor == null ? Lookup.Absent.ABSENT : acceptor.residentFate(entry);
            if (resident instanceof Lookup.NotResident || record instanceof Lookup.NotResident) {
                reads.blockingReads().execute(() -> lookUpAndStore(entry, pending));
            } else {
                submitUnlessTaken(resident, record, entry, pending);
            }
        } catch (StorageException e) {
            pending.refuse(StoreFailures.of(e));
        } catch (RejectedExecutionException full) {
            pending.refuse(LocalReads.TOO_MANY);
        }
        return pending;
    }

    private void lookUpAndStore(Entry entry, QueuedWrite pending) {
        if (pending.isComplete() || reads.ticker().nanos() - pending.deadlineNanos() >= 0) {
            pending.refuse(LocalReads.tooLate());
            return;
        }
        Lookup held;
        Lookup record;
        try {
            held = reads.store().lookup(entry.key());
            record = acceptor == null ? Lookup.Absent.ABSENT : acceptor.fate(entry);
        } catch (StorageException e) {
            pending.refuse(StoreFailures.of(e));
            return;
        }
        submitUnlessTaken(held, record, entry, pending);
    }

    /**
     * @param record the record of a conditional write with the entry's version
     */
    private void submitUnlessTaken(Lookup held, Lookup record, Entry entry, QueuedWrite pending) {
        boolean isTaken =
                held instanceof Lookup.Found(Entry other)
                        && other.timestamp().equals(entry.timestamp())
                        && !other.hasSameContent(entry, reads.ticker().wallMillis());
        if (isTaken || record instanceof Lookup.Found) {
            pending.refuse(VERSION_TAKEN);
        } else {
            pending.submitTo(reads.store(), entry);
        }
    }
}
