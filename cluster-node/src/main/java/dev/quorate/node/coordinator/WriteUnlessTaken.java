package dev.quorate.node.coordinator;

import dev.quorate.node.coordinator.Explanation.Round;
import dev.quorate.router.quorum.QuorumSpec;
import dev.quorate.storage.Entry;
import dev.quorate.storage.Timestamp;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The first half of a write whose version a client gave: looks whether another write has it. Where
 * the quorums overlap, one that was acknowledged is found before any replica is asked to store this
 * one; each replica looks for itself as well.
 *
 * @param entry what is to be written
 * @param deadlineNanos of the whole, in {@code Ticker.nanos} time
 */
record WriteUnlessTaken(
        Coordinator coordinator,
        Entry entry,
        QuorumSpec spec,
        long deadlineNanos,
        OutcomeCallback callback)
        implements WriteAfterRead {

    @Override
    public void write(@Nullable Entry live, @Nullable Timestamp version, List<Round> read) {
        long nowMillis = coordinator.wallMillis();
        boolean isSame =
                live == null
                        ? !Resolver.isLive(entry, nowMillis)
                        : live.hasSameContent(entry, nowMillis);
        if (entry.timestamp().equals(version) && !isSame) {
            coordinator.versionTaken(entry.timestamp(), callback);
        } else {
            coordinator.writeGiven(entry, spec, deadlineNanos, read, callback);
        }
    }

    /** The replicas that can be asked look for themselves. */
    @Override
    public void readFailed(Outcome.QuorumFailed failed, Explanation explanation) {
        coordinator.writeGiven(entry, spec, deadlineNanos, explanation.rounds(), callback);
    }
}
