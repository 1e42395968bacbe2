package dev.quorate.node.inquiry;

import com.google.errorprone.annotations.FormatMethod;
import dev.quorate.node.inquiry.KeyReport.MemberReport;
import dev.quorate.router.message.HeldKey;
import dev.quorate.router.quorum.Electorate;
import dev.quorate.router.quorum.QuorumSpec;
import dev.quorate.storage.Holdings.Held;
import dev.quorate.storage.Timestamp;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** Explains the members' reports on a key in words. Pure. */
final class Conclusions {

    private final KeyReport report;
    private final List<MemberReport> owners;
    private final Electorate majority;
    private final List<String> sentences = new ArrayList<>();

    private Conclusions(KeyReport report) {
        this.report = report;
        this.owners = report.members().stream().filter(MemberReport::isOwner).toList();
        long old = mask(MemberReport::isOld);
        long next = mask(MemberReport::isNew);
        this.majority =
                Electorate.joint(
                        QuorumSpec.majority(Long.bitCount(old)),
                        old,
                        QuorumSpec.majority(Long.bitCount(next)),
                        next);
    }

    private long mask(Predicate<MemberReport> wanted) {
        return IntStream.range(0, owners.size())
                .filter(i -> wanted.test(owners.get(i)))
                .mapToLong(i -> 1L << i)
                .sum();
    }

    static List<String> of(KeyReport report) {
        return new Conclusions(report).sentences();
    }

    private List<String> sentences() {
        read();
        elsewhere();
        future();
        tombstone();
        hints();
        unknown();
        return sentences;
    }

    // ---- The result of a read at a majority.

    private void read() {
        List<MemberReport> answering = owners.stream().filter(MemberReport::canAnswer).toList();
        long mask = mask(MemberReport::canAnswer);
        if (!majority.isQuorum(mask)) {
            say(
                    "A read at a majority (%s) is answered with 504: %s can answer (%s), and %s must.",
                    majority, majority.counted(mask), names(answering), majority.needed());
            return;
        }
        Held newest = answer(answering);
        if (newest == null) {
            say(
                    "A read at a majority (%s) finds nothing (404): none of its owners has an entry"
                            + " that counts.",
                    majority);
            return;
        }
        List<MemberReport> holders = holders(answering, newest.timestamp());
        boolean isAlwaysSeen = !majority.isQuorum(mask & ~mask(holders::contains));
        if (isAlwaysSeen) {
            say(
                    "A read at a majority (%s) returns %s, %s: %s of %d owners have it, so each"
                            + " majority contains one.",
                    majority, newest.timestamp(), what(newest), names(holders), owners.size());
            return;
        }
        Held next = answer(answering.stream().filter(Predicate.not(holders::contains)).toList());
        say(
                "A read at a majority (%s) returns %s, %s, if %s is among the first to answer, and"
                        + " then writes it to a majority; otherwise %s.",
                majority,
                newest.timestamp(),
                what(newest),
                names(holders),
                next == null ? "it finds nothing" : next.timestamp() + ", " + what(next));
    }

    private String what(Held held) {
        if (held.isTombstone()) {
            return "a tombstone (404)";
        }
        return isExpired(held) ? "which has expired (404)" : "a value";
    }

    private boolean isExpired(Held held) {
        long wallMillis =
                report.members().stream()
                        .map(MemberReport::held)
                        .filter(Objects::nonNull)
                        .mapToLong(HeldKey::wallMillis)
                        .min()
                        .orElse(0);
        return held.expiresAtMillis() != 0 && held.expiresAtMillis() <= wallMillis;
    }

    // ---- The rest.

    private void elsewhere() {
        List<MemberReport> others =
                report.members().stream()
                        .filter(
                                member -> {
                                    Held newest = member.newest();
                                    return !member.isOwner()
                                            && newest != null
                                            && !report.isLeftOver(member, newest);
                                })
                        .toList();
        if (!others.isEmpty()) {
            say(
                    "%s %s a copy and is not among the first %d of the ring order: only an operation"
                            + " with a larger 'from' asks for it.",
                    names(others),
                    others.size() == 1 ? "has" : "have",
                    report.topology().replicationFactor());
        }
    }

    private void future() {
        TreeMap<Timestamp, List<String>> ahead = new TreeMap<>();
        for (MemberReport member : report.members()) {
            HeldKey held = member.held();
            if (held == null) {
                continue;
            }
            for (Held entry : held.entries()) {
                if (report.isAhead(held, entry)) {
                    ahead.computeIfAbsent(entry.timestamp(), t -> new ArrayList<>())
                            .add(member.name());
                }
            }
        }
        ahead.forEach(
                (timestamp, names) ->
                        say(
                                "%s is from a clock that was too far ahead: its time is still in the"
                                        + " future at %s. Until %s writes of the key, and reads at a"
                                        + " majority, may be answered with 504.",
                                timestamp,
                                String.join(", ", names),
                                Timestamp.time(timestamp.wallMillis())));
    }

    private void tombstone() {
        for (MemberReport member : report.members()) {
            HeldKey held = member.held();
            Held newest = member.newest();
            if (held != null && newest != null && newest.isTombstone()) {
                sentences.add(whyTombstone(report, member, held, newest.timestamp()));
            }
        }
    }

    private void hints() {
        for (MemberReport member : report.members()) {
            HeldKey held = member.held();
            if (held == null) {
                continue;
            }
            for (HeldKey.Hint hint : held.hints()) {
                say(
                        "%s has a hint for %s: it will send %s when the member is back.",
                        member.name(), report.nameOf(hint.member()), hint.timestamp());
            }
        }
    }

    private void unknown() {
        for (MemberReport member : report.members()) {
            HeldKey held = member.held();
            if (held == null) {
                say("%s did not answer: what it has is unknown.", member.name());
                continue;
            }
            if (!held.state().condition().votes()) {
                say(
                        "%s does not vote: its disk was empty, and it does not have all its entries yet.",
                        member.name());
            }
            if (!held.unread().isEmpty()) {
                say(
                        "%s may have more: it cannot read %d of its tables, %s.",
                        member.name(),
                        held.unread().size(),
                        member.canAnswer()
                                ? "but nothing newer"
                                : "so it does not answer reads of the key");
            } else if (!held.isWhole()) {
                say("%s may have hints, or entries in more places than are listed.", member.name());
            }
        }
    }

    // ---- Helpers.

    @FormatMethod
    private void say(String sentence, Object... parts) {
        sentences.add(sentence.formatted(parts));
    }

    private static @Nullable Held answer(List<MemberReport> members) {
        return members.stream()
                .map(MemberReport::answer)
                .filter(Objects::nonNull)
                .max(Comparator.comparing(Held::timestamp))
                .orElse(null);
    }

    private static List<MemberReport> holders(List<MemberReport> members, Timestamp timestamp) {
        return members.stream()
                .filter(
                        member -> {
                            Held answer = member.answer();
                            return answer != null && answer.timestamp().equals(timestamp);
                        })
                .toList();
    }

    private static String names(List<MemberReport> members) {
        return members.isEmpty()
                ? "none"
                : String.join(", ", members.stream().map(MemberReport::name).toList());
    }

    /**
     * Explains why a member still has a tombstone.
     *
     * @param member a member that answered, and whose newest entry is this tombstone
     */
    private static String whyTombstone(
            KeyReport report, MemberReport member, HeldKey held, Timestamp tombstone) {
        String kept = member.name() + " still has the tombstone " + tombstone + ": ";
        if (tombstone.wallMillis() < held.gcWatermarkMillis()) {
            return kept
                    + "every member has confirmed that it is complete up to then, so it counts as"
                    + " absent, and one of the next compactions drops it, once nothing older of"
                    + " the key is left in this member's other tables and memory.";
        }
        List<String> missing = new ArrayList<>();
        for (MemberReport other : report.members()) {
            HeldKey said = other.held();
            if (said == null) {
                missing.add(other.name() + " does not answer");
            } else if (said.state().completeMillis() == 0) {
                missing.add(other.name() + " has confirmed nothing yet");
            } else if (said.state().completeMillis() <= tombstone.wallMillis()) {
                String upTo = Timestamp.time(said.state().completeMillis());
                missing.add(other.name() + " has confirmed up to " + upTo);
            }
        }
        return kept
                + "it cannot be dropped before every member has confirmed that it is complete up to then, and "
                + (missing.isEmpty()
                        ? "all have, which this member learns with its next comparisons"
                        : String.join(", ", missing))
                + ".";
    }
}
