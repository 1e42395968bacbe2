package dev.quorate.node.coordinator;

import dev.quorate.node.coordinator.Explanation.Reply;
import dev.quorate.node.coordinator.Explanation.Round;
import dev.quorate.node.coordinator.Explanation.Told;
import dev.quorate.node.message.ReplicaAnswer.Failure;
import dev.quorate.router.quorum.QuorumSpec;
import dev.quorate.storage.Timestamp;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Says in words why the rounds of an operation made its outcome. Pure. */
final class Reasons {

    private Reasons() {}

    /**
     * Of a read that was answered.
     *
     * @param rounds the read, and perhaps its repair
     */
    static List<String> ofRead(
            QuorumSpec spec, List<Round> rounds, Outcome outcome, boolean isLookedAtAgain) {
        Round read = rounds.getFirst();
        List<String> reasons = new ArrayList<>();
        reasons.add(counted(spec, read));
        if (outcome instanceof Outcome.Refused) {
            reasons.add("the others have no room now, and may have soon");
            return reasons;
        }
        Timestamp newest = newest(read);
        if (newest == null) {
            reasons.add("none of them holds anything of the key");
            return reasons;
        }
        reasons.add(
                "%s the newest version, %s, and the newest wins, whoever answered first"
                        .formatted(hold(holders(read, newest)), newest));
        if (outcome instanceof Outcome.Missing) {
            reasons.add("it is a tombstone or has expired: there is no value");
        }
        if (rounds.size() > 1) {
            reasons.add(
                    "read repair: the answers differ, so it was sent to %s before this answer, and a"
                                    .formatted(names(members(rounds.getLast())))
                            + " majority has it");
        }
        if (isLookedAtAgain) {
            reasons.add(
                    "the answers differ: below a majority nobody waits for a repair, and the key is"
                            + " looked at again soon");
        }
        return reasons;
    }

    /** Of a read that too few answered, or whose answers could not be repaired. */
    static List<String> ofFailedRead(QuorumSpec spec, List<Round> rounds) {
        List<String> reasons = new ArrayList<>();
        Round read = rounds.getFirst();
        reasons.add(counted(spec, read));
        if (rounds.size() > 1) {
            reasons.add(
                    "the answers differ, and the newest, %s, could not be left with a majority of"
                                    .formatted(newest(read))
                            + " its replicas: a later read could show something older");
        }
        return reasons;
    }

    private static String counted(QuorumSpec spec, Round read) {
        List<String> answered = answered(read);
        return "%d of %d replicas answered%s, and %d had to"
                .formatted(answered.size(), spec.from(), inBrackets(answered), spec.ack());
    }

    /**
     * Of a write, acknowledged or not.
     *
     * @param rounds all there were; the last is the write's own
     * @param isGivenVersion whether the client gave the version
     * @param hinted the replicas that get a hint
     * @param refusal why it could not be stamped anew, though it had to; null otherwise
     */
    static List<String> ofWrite(
            QuorumSpec spec,
            List<Round> rounds,
            boolean isGivenVersion,
            List<String> hinted,
            @Nullable String refusal) {
        List<String> reasons = new ArrayList<>();
        for (int i = 0; i < rounds.size() - 1; i++) {
            reasons.add(whyAgain(rounds.get(i)));
        }
        Round last = rounds.getLast();
        List<String> keeping = keeping(last);
        reasons.add(
                "%d of %d replicas have version %s on disk%s, and %d had to"
                        .formatted(
                                keeping.size(),
                                spec.from(),
                                last.version(),
                                inBrackets(keeping),
                                spec.ack()));
        List<String> tooOld = named(last, Reasons::isTooOld);
        if (!tooOld.isEmpty()) {
            reasons.add(
                    "%s no write as old as this one: what deleted it since may be forgotten"
                            .formatted(names(tooOld) + (tooOld.size() == 1 ? " takes" : " take")));
        }
        Timestamp held = newest(last);
        if (refusal != null) {
            reasons.add("it could not be stamped anew: " + refusal);
        } else if (held != null && last.version() != null && held.isAfter(last.version())) {
            reasons.add(
                    "%s %s, which is newer and goes on hiding this one: %s"
                            .formatted(
                                    hold(holders(last, held)),
                                    held,
                                    isGivenVersion
                                            ? "the client gave the version, so it is kept"
                                            : "it was written meanwhile"));
        }
        if (!hinted.isEmpty()) {
            reasons.add("a hint is kept for %s until it is back".formatted(names(hinted)));
        }
        return reasons;
    }

    private static String whyAgain(Round earlier) {
        Timestamp newest = newest(earlier);
        return switch (earlier.purpose()) {
            case WRITE ->
                    "%s %s, newer than %s: the write was stamped anew, above it (restamp)"
                            .formatted(
                                    hold(newest == null ? List.of() : holders(earlier, newest)),
                                    newest,
                                    earlier.version());
            case READ, RANGE ->
                    newest == null
                            ? "a majority was asked first, and holds nothing of the key"
                            : "a majority was asked first: the write is stamped above the newest, "
                                    + newest;
            case REPAIR ->
                    "their answers differed: the newest was sent to %s first (read repair)"
                            .formatted(names(members(earlier)));
        };
    }

    // ---- What a round says.

    private static List<String> members(Round round) {
        return round.replies().stream().map(Reply::member).toList();
    }

    private static List<String> answered(Round round) {
        return named(round, told -> version(told) != null || told instanceof Told.Nothing);
    }

    private static List<String> keeping(Round round) {
        return named(round, Told.Keeps.class::isInstance);
    }

    private static boolean isTooOld(Told told) {
        return told instanceof Told.Failed failed && failed.reason() == Failure.TOO_OLD;
    }

    private static List<String> holders(Round round, Timestamp version) {
        return named(round, told -> version.equals(version(told)));
    }

    private static List<String> named(Round round, Predicate<Told> wanted) {
        return round.replies().stream()
                .filter(reply -> wanted.test(reply.told()))
                .map(Reply::member)
                .toList();
    }

    /** The newest version that anybody in the round said to hold; null if nobody did. */
    private static @Nullable Timestamp newest(Round round) {
        Timestamp newest = null;
        for (Reply reply : round.replies()) {
            Timestamp version = version(reply.told());
            if (version != null && (newest == null || version.isAfter(newest))) {
                newest = version;
            }
        }
        return newest;
    }

    private static @Nullable Timestamp version(Told told) {
        return switch (told) {
            case Told.Holds holds -> holds.version();
            case Told.Keeps keeps -> keeps.newest();
            case Told.Listed listed -> null;
            case Told.Failed failed -> null;
            case Told.Awaited awaited -> null;
            case Told.Nothing nothing -> null;
            case Told.NotAsked notAsked -> null;
        };
    }

    private static String inBrackets(List<String> names) {
        return names.isEmpty() ? "" : " (" + names(names) + ")";
    }

    private static String hold(List<String> names) {
        return names(names) + (names.size() == 1 ? " holds" : " hold");
    }

    private static String names(List<String> names) {
        if (names.isEmpty()) {
            return "nobody";
        }
        int last = names.size() - 1;
        return last == 0
                ? names.getFirst()
                : String.join(", ", names.subList(0, last)) + " and " + names.get(last);
    }
}
