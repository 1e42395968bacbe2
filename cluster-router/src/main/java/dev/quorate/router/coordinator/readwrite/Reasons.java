package dev.quorate.router.coordinator.readwrite;

import dev.quorate.router.coordinator.operation.Explanation.Reply;
import dev.quorate.router.coordinator.operation.Explanation.Result;
import dev.quorate.router.coordinator.operation.Explanation.Round;
import dev.quorate.router.coordinator.operation.Outcome;
import dev.quorate.router.message.ReplicaAnswer.Failure;
import dev.quorate.router.quorum.Electorate;
import dev.quorate.storage.Timestamp;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Explains in words the outcome of an operation from its rounds. Pure. */
final class Reasons {

    /** All replies of a round, as a mask like that of {@link #which}. */
    private static final long ALL = -1;

    private Reasons() {}

    /**
     * Explains a read that was answered.
     *
     * @param rounds the read, and perhaps its repair
     */
    static List<String> ofRead(
            Electorate electorate, List<Round> rounds, Outcome outcome, boolean isLookedAtAgain) {
        Round read = rounds.getFirst();
        long answered = which(read, Reasons::isAnswer);
        Timestamp newest = newest(read);
        boolean isAlike = newest != null && answered == holders(read, newest);
        List<String> reasons = new ArrayList<>(2);
        String alike = isAlike && Long.bitCount(answered) > 1 ? ": they have the same version" : "";
        reasons.add(counted(electorate, read, answered) + alike);
        if (outcome instanceof Outcome.Refused) {
            reasons.add("the others have no room now");
            return reasons;
        }
        if (newest == null) {
            reasons.add("none of them has the key");
            return reasons;
        }
        if (!isAlike) {
            reasons.add(
                    "%s the newest version, %s, and the newest wins"
                            .formatted(hold(read, newest), newest));
        }
        if (outcome instanceof Outcome.Missing) {
            reasons.add("it is a tombstone or has expired: there is no value");
        }
        if (rounds.size() > 1) {
            reasons.add(
                    "read repair: the answers differ, so it was sent to "
                            + names(rounds.getLast(), ALL)
                            + " before this answer, and "
                            + (isLookedAtAgain
                                    ? "not all stored it: it was written to fewer replicas than this"
                                            + " read asks, and the key will be repaired later"
                                    : "a majority has it"));
        } else if (isLookedAtAgain) {
            reasons.add(
                    "the answers differ: below a majority no read waits for a repair, and the key"
                            + " will be repaired later");
        } else if (!isAlike) {
            reasons.add(
                    "it was written to fewer replicas than this read asks, and these have it: there"
                            + " is nothing to repair");
        }
        return reasons;
    }

    /** Explains a read that too few replicas answered, or whose answers could not be repaired. */
    static List<String> ofFailedRead(Electorate electorate, List<Round> rounds) {
        List<String> reasons = new ArrayList<>();
        Round read = rounds.getFirst();
        reasons.add(counted(electorate, read, which(read, Reasons::isAnswer)));
        if (rounds.size() > 1) {
            reasons.add(
                    ("the answers differ, and the newest, %s, could not be written to a majority"
                                    + " of its replicas: a later read could return something older")
                            .formatted(newest(read)));
        }
        return reasons;
    }

    private static String counted(Electorate electorate, Round read, long answered) {
        String who = answered == 0 ? "" : " (" + names(read, answered) + ")";
        return "%s answered%s, and %s had to"
                .formatted(electorate.counted(answered), who, electorate.needed());
    }

    /**
     * Explains a write, acknowledged or not.
     *
     * @param rounds all rounds of the operation; the last is the write's own
     * @param isGivenVersion whether the client gave the version
     * @param hinted the replicas that get a hint
     * @param refusal why a necessary restamp was not possible; null otherwise
     */
    static List<String> ofWrite(
            Electorate electorate,
            List<Round> rounds,
            boolean isGivenVersion,
            List<String> hinted,
            @Nullable String refusal) {
        List<String> reasons = new ArrayList<>();
        for (int i = 0; i < rounds.size() - 1; i++) {
            reasons.add(whyAgain(rounds.get(i)));
        }
        Round last = rounds.getLast();
        long keeping = which(last, Result.Stored.class::isInstance);
        reasons.add(
                "%s have version %s on disk%s, and %s had to"
                        .formatted(
                                electorate.counted(keeping),
                                last.version(),
                                keeping == 0 ? "" : " (" + names(last, keeping) + ")",
                                electorate.needed()));
        long tooOld =
                which(
                        last,
                        result ->
                                result instanceof Result.Failed failed
                                        && failed.reason() == Failure.TOO_OLD);
        if (tooOld != 0) {
            reasons.add(
                    names(last, tooOld)
                            + (Long.bitCount(tooOld) == 1 ? " refuses" : " refuse")
                            + " a write as old as this one: a newer tombstone may have been"
                            + " dropped");
        }
        Timestamp held = newest(last);
        if (refusal != null) {
            reasons.add("it could not be restamped: " + refusal);
        } else if (held != null && last.version() != null && held.isAfter(last.version())) {
            reasons.add(
                    "%s %s, which is newer and supersedes this one: %s"
                            .formatted(
                                    hold(last, held),
                                    held,
                                    isGivenVersion
                                            ? "the client gave the version, so it does not change"
                                            : "it was written meanwhile"));
        }
        if (!hinted.isEmpty()) {
            reasons.add("a hint is stored for " + names(hinted));
        }
        return reasons;
    }

    private static String whyAgain(Round earlier) {
        Timestamp newest = newest(earlier);
        return switch (earlier.purpose()) {
            case WRITE ->
                    "%s %s, newer than %s: the write was restamped above it"
                            .formatted(hold(earlier, newest), newest, earlier.version());
            case READ, RANGE, PREPARE, ACCEPT ->
                    newest == null
                            ? "a majority was asked first, and does not have the key"
                            : "a majority was asked first: the write is stamped above the newest, "
                                    + newest;
            case REPAIR ->
                    "their answers differed: the newest was sent to %s first (read repair)"
                            .formatted(names(earlier, ALL));
        };
    }

    // ---- Rounds.

    private static boolean isAnswer(Result result) {
        return version(result) != null || result instanceof Result.Absent;
    }

    /** A mask of the replies that match: bit i is set for the i-th. */
    private static long which(Round round, Predicate<Result> wanted) {
        long which = 0;
        for (int i = 0; i < round.replies().size(); i++) {
            which |= wanted.test(round.replies().get(i).result()) ? 1L << i : 0;
        }
        return which;
    }

    /** The newest version that a replica of the round has; null if none has one. */
    private static @Nullable Timestamp newest(Round round) {
        Timestamp newest = null;
        for (Reply reply : round.replies()) {
            Timestamp version = version(reply.result());
            if (version != null && (newest == null || version.isAfter(newest))) {
                newest = version;
            }
        }
        return newest;
    }

    private static @Nullable Timestamp version(Result result) {
        return switch (result) {
            case Result.Found holds -> holds.version();
            case Result.Stored keeps -> keeps.newest();
            case Result.Listed _,
                    Result.Declined _,
                    Result.Accepted _,
                    Result.Failed _,
                    Result.NotAwaited _,
                    Result.Absent _,
                    Result.NotAsked _ ->
                    null;
        };
    }

    /** "n1 and n2 hold" a version. */
    private static String hold(Round round, @Nullable Timestamp version) {
        long holders = version == null ? 0 : holders(round, version);
        return names(round, holders) + (Long.bitCount(holders) == 1 ? " holds" : " hold");
    }

    private static long holders(Round round, Timestamp version) {
        return which(round, result -> version.equals(version(result)));
    }

    private static String names(Round round, long which) {
        List<String> names = new ArrayList<>();
        for (int i = 0; i < round.replies().size(); i++) {
            if ((which >>> i & 1) != 0) {
                names.add(round.replies().get(i).member());
            }
        }
        return names.isEmpty() ? "nobody" : names(names);
    }

    private static String names(List<String> names) {
        StringBuilder all = new StringBuilder(names.getFirst());
        for (int i = 1; i < names.size(); i++) {
            all.append(i == names.size() - 1 ? " and " : ", ").append(names.get(i));
        }
        return all.toString();
    }
}
