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

    /** Of the replies of a round, as {@link #which} has them. */
    private static final long ALL = -1;

    private Reasons() {}

    /**
     * Of a read that was answered.
     *
     * @param rounds the read, and perhaps its repair
     */
    static List<String> ofRead(
            QuorumSpec spec, List<Round> rounds, Outcome outcome, boolean isLookedAtAgain) {
        Round read = rounds.getFirst();
        long answered = which(read, Reasons::isAnswer);
        Timestamp newest = newest(read);
        boolean isAlike = newest != null && answered == holders(read, newest);
        List<String> reasons = new ArrayList<>(2);
        String alike = isAlike && Long.bitCount(answered) > 1 ? ": they hold the same version" : "";
        reasons.add(counted(spec, read, answered).append(alike).toString());
        if (outcome instanceof Outcome.Refused) {
            reasons.add("the others have no room now, and may have soon");
            return reasons;
        }
        if (newest == null) {
            reasons.add("none of them holds anything of the key");
            return reasons;
        }
        if (!isAlike) {
            reasons.add(
                    hold(read, newest)
                            + " the newest version, "
                            + newest
                            + ", and the newest wins, whoever answered first");
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
                                    ? "not all took it: it was written to fewer replicas than this"
                                            + " read asks, and the key is looked at again soon"
                                    : "a majority has it"));
        } else if (isLookedAtAgain) {
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
        reasons.add(counted(spec, read, which(read, Reasons::isAnswer)).toString());
        if (rounds.size() > 1) {
            reasons.add(
                    "the answers differ, and the newest, "
                            + newest(read)
                            + ", could not be left with a majority of its replicas: a later read"
                            + " could show something older");
        }
        return reasons;
    }

    private static StringBuilder counted(QuorumSpec spec, Round read, long answered) {
        StringBuilder sentence = new StringBuilder(96);
        sentence.append(Long.bitCount(answered)).append(" of ").append(spec.from());
        sentence.append(" replicas answered");
        if (answered != 0) {
            append(sentence.append(" ("), read, answered).append(')');
        }
        return sentence.append(", and ").append(spec.ack()).append(" had to");
    }

    /**
     * Of a write, acknowledged or not.
     *
     * @param rounds all there were; the last is the write's own
     * @param isGivenVersion whether the client gave the version
     * @param hinted the replicas that get a hint
     * @param refusal why it could not be restamped, though it had to; null otherwise
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
        long keeping = which(last, Told.Keeps.class::isInstance);
        reasons.add(
                Long.bitCount(keeping)
                        + " of "
                        + spec.from()
                        + " replicas have version "
                        + last.version()
                        + " on disk"
                        + (keeping == 0 ? "" : " (" + names(last, keeping) + ")")
                        + ", and "
                        + spec.ack()
                        + " had to");
        long tooOld = which(last, Reasons::isTooOld);
        if (tooOld != 0) {
            reasons.add(
                    names(last, tooOld)
                            + (Long.bitCount(tooOld) == 1 ? " takes" : " take")
                            + " no write as old as this one: what deleted it since may be"
                            + " forgotten");
        }
        Timestamp held = newest(last);
        if (refusal != null) {
            reasons.add("it could not be restamped: " + refusal);
        } else if (held != null && last.version() != null && held.isAfter(last.version())) {
            reasons.add(
                    hold(last, held)
                            + " "
                            + held
                            + ", which is newer and goes on hiding this one: "
                            + (isGivenVersion
                                    ? "the client gave the version, so it is kept"
                                    : "it was written meanwhile"));
        }
        if (!hinted.isEmpty()) {
            reasons.add("a hint is kept for " + names(hinted) + " until it is back");
        }
        return reasons;
    }

    private static String whyAgain(Round earlier) {
        Timestamp newest = newest(earlier);
        return switch (earlier.purpose()) {
            case WRITE ->
                    hold(earlier, newest)
                            + " "
                            + newest
                            + ", newer than "
                            + earlier.version()
                            + ": the write was restamped above it";
            case READ, RANGE ->
                    newest == null
                            ? "a majority was asked first, and holds nothing of the key"
                            : "a majority was asked first: the write is stamped above the newest, "
                                    + newest;
            case REPAIR ->
                    "their answers differed: the newest was sent to "
                            + names(earlier, ALL)
                            + " first (read repair)";
        };
    }

    // ---- What a round says.

    private static boolean isAnswer(Told told) {
        return version(told) != null || told instanceof Told.Nothing;
    }

    private static boolean isTooOld(Told told) {
        return told instanceof Told.Failed failed && failed.reason() == Failure.TOO_OLD;
    }

    /** Bit i is set if the i-th reply is one of those. */
    private static long which(Round round, Predicate<Told> wanted) {
        long which = 0;
        for (int i = 0; i < round.replies().size(); i++) {
            which |= wanted.test(round.replies().get(i).told()) ? 1L << i : 0;
        }
        return which;
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

    /** Who holds a version; nobody holds none. */
    private static String hold(Round round, @Nullable Timestamp version) {
        long holders = version == null ? 0 : holders(round, version);
        return names(round, holders) + (Long.bitCount(holders) == 1 ? " holds" : " hold");
    }

    private static long holders(Round round, Timestamp version) {
        return which(round, told -> version.equals(version(told)));
    }

    private static String names(Round round, long which) {
        return append(new StringBuilder(32), round, which).toString();
    }

    private static StringBuilder append(StringBuilder text, Round round, long which) {
        List<Reply> replies = round.replies();
        int left = 0;
        for (int i = 0; i < replies.size(); i++) {
            left += (int) (which >>> i) & 1;
        }
        if (left == 0) {
            return text.append("nobody");
        }
        boolean isFirst = true;
        for (int i = 0; i < replies.size(); i++) {
            if ((which >>> i & 1) != 0) {
                left--;
                text.append(isFirst ? "" : left == 0 ? " and " : ", ")
                        .append(replies.get(i).member());
                isFirst = false;
            }
        }
        return text;
    }

    private static String names(List<String> names) {
        StringBuilder all = new StringBuilder(names.getFirst());
        for (int i = 1; i < names.size(); i++) {
            all.append(i == names.size() - 1 ? " and " : ", ").append(names.get(i));
        }
        return all.toString();
    }
}
