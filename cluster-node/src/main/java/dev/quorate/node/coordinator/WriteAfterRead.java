package dev.quorate.node.coordinator;

import dev.quorate.node.coordinator.Explanation.Round;
import dev.quorate.storage.Entry;
import dev.quorate.storage.Timestamp;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The first half of a write that asks first what its key holds. */
interface WriteAfterRead extends OutcomeCallback {

    /** Told how the whole ends. */
    OutcomeCallback callback();

    /**
     * Goes on, by what the replicas hold.
     *
     * @param live the newest entry, if it is live
     * @param version of the newest entry, live or not; null if there is none
     * @param read what the replicas were asked, where that is to be told
     */
    void write(@Nullable Entry live, @Nullable Timestamp version, List<Round> read);

    /** Goes on, or ends, where too few replicas have answered. */
    void readFailed(Outcome.QuorumFailed failed, Explanation explanation);

    @Override
    default boolean isExplained() {
        return callback().isExplained();
    }

    @Override
    default void completed(Outcome held) {
        completed(held, Explanation.NONE);
    }

    @Override
    default void completed(Outcome held, Explanation explanation) {
        switch (held) {
            case Outcome.Found(Entry entry) ->
                    write(entry, entry.timestamp(), explanation.rounds());
            case Outcome.Missing missing -> write(null, missing.deletedAt(), explanation.rounds());
            case Outcome.QuorumFailed failed -> readFailed(failed, explanation);
            case Outcome.Refused refused -> callback().completed(refused, explanation);
            case Outcome.TooFarAhead ahead -> throw wasWritten(ahead);
            case Outcome.TooOld tooOld -> throw wasWritten(tooOld);
            case Outcome.VersionTaken taken -> throw wasWritten(taken);
            case Outcome.Written written -> throw wasWritten(written);
        }
    }

    private static IllegalStateException wasWritten(Outcome outcome) {
        return new IllegalStateException("a read has written: " + outcome);
    }
}
