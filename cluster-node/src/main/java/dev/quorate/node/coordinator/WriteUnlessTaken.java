package dev.quorate.node.coordinator;

import dev.quorate.node.coordinator.Explanation.Round;
import dev.quorate.router.quorum.QuorumSpec;
import dev.quorate.storage.Entry;
import java.util.List;

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
            case Outcome.Found(Entry other) ->
                    decide(
                            other.timestamp().equals(entry.timestamp())
                                    && !other.hasSameContent(entry, coordinator.wallMillis()),
                            explanation.rounds());
            case Outcome.Missing missing ->
                    decide(
                            entry.timestamp().equals(missing.deletedAt())
                                    && Resolver.isLive(entry, coordinator.wallMillis()),
                            explanation.rounds());
            case Outcome.QuorumFailed failed -> decide(false, explanation.rounds());
            case Outcome.Refused refused -> callback.completed(refused, explanation);
            case Outcome.TooFarAhead ahead -> throw new IllegalStateException("a read has written");
            case Outcome.TooOld tooOld -> throw new IllegalStateException("a read has written");
            case Outcome.VersionTaken taken ->
                    throw new IllegalStateException("a read has written");
            case Outcome.Written written -> throw new IllegalStateException("a read has written");
        }
    }

    private void decide(boolean isTaken, List<Round> read) {
        if (isTaken) {
            coordinator.versionTaken(entry.timestamp(), callback);
        } else {
            coordinator.writeGiven(entry, spec, deadlineNanos, read, callback);
        }
    }
}
