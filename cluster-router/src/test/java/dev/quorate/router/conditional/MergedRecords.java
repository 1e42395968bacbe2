package dev.quorate.router.conditional;

import dev.quorate.storage.Timestamp;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The records of a replica that has lost its own, from those of all others: the latest promise, and
 * of each decree the latest ballot. They are copies: no vote of this replica's.
 */
public final class MergedRecords {

    private MergedRecords() {}

    /** What the merged entries have superseded is {@linkplain KeyRecords#noted} afterwards. */
    public static KeyRecords of(KeyRecords one, KeyRecords other) {
        Map<Timestamp, Accepted> merged = new HashMap<>(one.decrees());
        other.decrees()
                .forEach(
                        (version, accepted) ->
                                merged.merge(
                                        version,
                                        new Accepted(accepted.ballot(), accepted.proposal(), true),
                                        (a, b) -> a.ballot().isAfter(b.ballot()) ? a : b));
        Map<Timestamp, Fate> fates = new HashMap<>(one.fates());
        other.fates()
                .forEach(
                        (origin, fate) ->
                                fates.merge(
                                        origin,
                                        fate,
                                        (a, b) -> a.ballot().isAfter(b.ballot()) ? a : b));
        return new KeyRecords(
                one.promised().isAfter(other.promised()) ? one.promised() : other.promised(),
                later(undecided(one.last(), merged), one, undecided(other.last(), merged), other),
                merged,
                fates);
    }

    /** A replica that has closed a decree has an entry that supersedes its base. */
    private static @Nullable Timestamp undecided(
            @Nullable Timestamp last, Map<Timestamp, Accepted> merged) {
        Accepted accepted = last == null ? null : merged.get(last);
        return accepted == null || accepted.proposal().entry() == null ? null : last;
    }

    /** Of two bases the one that was accepted last; in the lead, a ballot is used for several. */
    private static @Nullable Timestamp later(
            @Nullable Timestamp own, KeyRecords one, @Nullable Timestamp others, KeyRecords other) {
        if (own == null || others == null) {
            return own == null ? others : own;
        }
        int byBallot = acceptedUnder(own, one).compareTo(acceptedUnder(others, other));
        boolean isLater = byBallot > 0 || (byBallot == 0 && own.isAfter(others));
        return isLater ? own : others;
    }

    private static Timestamp acceptedUnder(Timestamp base, KeyRecords records) {
        return Objects.requireNonNull(records.decrees().get(base)).ballot();
    }
}
