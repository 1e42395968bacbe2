package dev.quorate.router.coordinator.readwrite;

import dev.quorate.router.coordinator.operation.Ending;
import dev.quorate.router.coordinator.operation.Explanation;
import dev.quorate.router.coordinator.operation.Explanation.Round;
import dev.quorate.router.coordinator.operation.Outcome;
import dev.quorate.router.coordinator.operation.OutcomeCallback;
import dev.quorate.router.message.TraceParent;
import dev.quorate.storage.Entry;
import dev.quorate.storage.Timestamp;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The second half of a write that reads its key first. */
abstract class WriteAfterRead implements OutcomeCallback {

    private final Ending ending;
    private final OutcomeCallback callback;

    /**
     * @param callback receives the outcome of the whole operation
     */
    WriteAfterRead(Ending ending, OutcomeCallback callback) {
        this.ending = ending;
        this.callback = callback;
    }

    OutcomeCallback callback() {
        return callback;
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
        ending.ended(failed, callback, explanation);
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
            case Outcome.Missing missing -> write(null, missing.deletedAt(), explanation.rounds());
            case Outcome.QuorumFailed failed -> readFailed(failed, explanation);
            case Outcome.Refused refused -> ending.ended(refused, callback, explanation);
            case Outcome.TooFarAhead _,
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
