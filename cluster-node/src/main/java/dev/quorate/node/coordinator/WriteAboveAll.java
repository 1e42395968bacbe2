package dev.quorate.node.coordinator;

import dev.quorate.router.quorum.QuorumSpec;
import dev.quorate.storage.Timestamp;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The first half of a write of an atomic register: takes what a majority holds, and writes above
 * that.
 *
 * @param value null deletes
 * @param deadlineNanos of the whole, in {@code Ticker.nanos} time
 */
record WriteAboveAll(
        Coordinator coordinator,
        byte[] key,
        byte @Nullable [] value,
        @Nullable Duration timeToLive,
        QuorumSpec spec,
        long deadlineNanos,
        OutcomeCallback callback)
        implements OutcomeCallback {

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
            case Outcome.Found found -> write(found.entry().timestamp(), explanation.rounds());
            case Outcome.Missing missing -> write(missing.deletedAt(), explanation.rounds());
            case Outcome.QuorumFailed failed -> callback.completed(failed, explanation);
            case Outcome.Refused refused -> callback.completed(refused, explanation);
            case Outcome.TooFarAhead ahead -> throw new IllegalStateException("a read has written");
            case Outcome.TooOld tooOld -> throw new IllegalStateException("a read has written");
            case Outcome.VersionTaken taken ->
                    throw new IllegalStateException("a read has written");
            case Outcome.Written written -> throw new IllegalStateException("a read has written");
        }
    }

    private void write(@Nullable Timestamp newest, List<Explanation.Round> read) {
        coordinator.writeAbove(newest, key, value, timeToLive, spec, deadlineNanos, read, callback);
    }
}
