package dev.quorate.node.coordinator;

import dev.quorate.node.coordinator.Explanation.Round;
import dev.quorate.router.quorum.QuorumSpec;
import dev.quorate.storage.Entry;
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
        implements WriteAfterRead {

    @Override
    public void write(@Nullable Entry live, @Nullable Timestamp version, List<Round> read) {
        coordinator.writeAbove(
                version, key, value, timeToLive, spec, deadlineNanos, read, callback);
    }

    @Override
    public void readFailed(Outcome.QuorumFailed failed, Explanation explanation) {
        callback.completed(failed, explanation);
    }
}
